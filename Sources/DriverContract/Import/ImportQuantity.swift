/// What a type of samples is to the host (`MH_QTY_*`). A number that this host does not know is ``other``: its samples are counted,
/// and otherwise left.
package enum ImportQuantity: UInt16, Sendable, Hashable, CaseIterable {
  case other = 0
  // Sums: an interval has what came together in it.
  /// A count.
  case steps = 1
  /// In m, also running.
  case distanceWalking = 2
  /// In m.
  case distanceCycling = 3
  /// In m.
  case distanceSwimming = 4
  /// In m.
  case distanceWheelchair = 5
  /// In m.
  case distanceOther = 6
  /// A count.
  case floors = 7
  /// In m.
  case elevation = 8
  /// In kcal.
  case energyActive = 9
  /// In kcal.
  case energyBasal = 10
  /// In kcal.
  case energyTotal = 11
  /// In s.
  case exercise = 12
  /// In s.
  case stand = 13
  /// A count, of a wheelchair.
  case pushes = 14
  // One hour each.
  case standHour = 20
  // Durations.
  case mindful = 21
  case sleep = 22
  case workout = 23
  case seriesDay = 24
  // Measurements.
  /// In kg.
  case weight = 40
  /// In cm.
  case height = 41
  /// In %.
  case bodyFat = 42
  /// In kg.
  case leanMass = 43
  /// In kg/m2.
  case bmi = 44
  /// In kg.
  case bodyWaterMass = 45
  /// In kg.
  case boneMass = 46
  /// In kg.
  case muscleMass = 47
  /// In cm.
  case waist = 48
  /// In mg/dL.
  case glucose = 50
  /// In mm[Hg].
  case systolic = 51
  /// In mm[Hg].
  case diastolic = 52
  /// In /min.
  case heartRate = 53
  /// In /min.
  case restingHeartRate = 54
  /// In /min.
  case walkingHeartRate = 55
  /// In ms.
  case hrvSDNN = 56
  /// In ms.
  case hrvRMSSD = 57
  /// In %.
  case oxygenSaturation = 58
  /// In Cel.
  case bodyTemperature = 59
  /// In Cel.
  case basalTemperature = 60
  /// In /min.
  case respiratoryRate = 61
  /// In mL/kg/min.
  case vo2Max = 62
  /// In kcal/d.
  case basalRate = 63
  case bloodPressure = 64
  // Nutrition.
  case meal = 80
  /// In kcal.
  case dietEnergy = 81
  /// In mL.
  case dietWater = 82
  /// In g.
  case dietCarbohydrates = 83
  /// In g.
  case dietProtein = 84
  /// In g.
  case dietFat = 85
  /// In g.
  case dietSaturatedFat = 86
  /// In g.
  case dietFiber = 87
  /// In g.
  case dietSugar = 88
  /// In mg.
  case dietCholesterol = 89
  /// In mg.
  case dietSodium = 90
  /// In mg.
  case dietCalcium = 91
  /// In mg.
  case dietIron = 92
  /// In mg.
  case dietPotassium = 93
  // Reproductive health.
  case menstrualFlow = 110
  case ovulationTest = 111
  case cervicalMucus = 112
  case sexualActivity = 113
  case intermenstrualBleeding = 114
  // What the host only compares its own with.
  case activitySummary = 120

  /// The quantity of a number of the contract.
  package init(code: UInt16) { self = ImportQuantity(rawValue: code) ?? .other }
}

/// Some of the quantities (`mh_import_open.wanted`).
package struct ImportQuantities: Sendable, Hashable {
  /// How many quantities there can be.
  package static let most = 256

  /// Bit q of word q / 64 stands for quantity q.
  package private(set) var words: [UInt64]

  /// None.
  package init() { words = [UInt64](repeating: 0, count: Self.most / 64) }

  /// These.
  package init(_ quantities: some Sequence<ImportQuantity>) {
    self.init()
    for quantity in quantities { insert(quantity) }
  }

  /// Those of these words; nil when they are not as many as there must be.
  package init?(words: [UInt64]) {
    guard words.count == Self.most / 64 else { return nil }
    self.words = words
  }

  /// Every quantity that this host knows.
  package static let all = ImportQuantities(ImportQuantity.allCases)

  /// Adds one.
  package mutating func insert(_ quantity: ImportQuantity) {
    words[Int(quantity.rawValue / 64)] |= 1 << UInt64(quantity.rawValue % 64)
  }

  /// Whether it is one of them.
  package func contains(_ quantity: ImportQuantity) -> Bool {
    words[Int(quantity.rawValue / 64)] & 1 << UInt64(quantity.rawValue % 64) != 0
  }
}
