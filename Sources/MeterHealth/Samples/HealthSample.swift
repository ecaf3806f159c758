import DriverContract

/// One sample of an export: something from a start up to an end.
package struct HealthSample: Sendable, Hashable {
  /// What an export says of a sample beside its value.
  package struct Flags: OptionSet, Sendable, Hashable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Entered by hand.
    package static let manual = Flags(rawValue: 0x2)
    /// Says nothing by itself, only which samples belong together.
    package static let link = Flags(rawValue: 0x4)
    /// Summed up and merged by its source: it replaces what would be summed up here.
    package static let merged = Flags(rawValue: 0x8)
  }

  package var quantity: HealthQuantity
  /// Microseconds since 1970-01-01T00:00Z.
  package var start: Int64
  /// Microseconds since 1970-01-01T00:00Z; the start for an instant.
  package var end: Int64
  /// How far the clock of whoever measured was ahead of UTC, in seconds; nil where the export does not say.
  package var utcOffset: Int?
  /// The value in the quantity's unit (``HealthQuantity/unit``).
  package var value: Fraction?
  /// The index of the source.
  package var source: Int
  package var flags: Flags = []
  /// What a sample of sleep is.
  package var stage: SleepStage?
  /// A word or text value: the activity of a workout, `stood` or `idle` of an hour, the word of a reproductive sample.
  package var text: String?
  /// The name that the sample has wherever it is exported, such as a UUID.
  package var id: String?
  /// When it was written or changed last, microseconds since 1970-01-01T00:00Z; 0 when not known.
  package var modified: Int64 = 0
  package var attributes: [HealthAttribute] = []
  /// Stages of a session, activities and pauses of a workout.
  package var parts: [HealthSample] = []
  /// Where it stands in the export, for reports.
  package var place: UInt64 = 0

  package init(
    _ quantity: HealthQuantity, start: Int64, end: Int64? = nil, value: Fraction? = nil, source: Int = 0
  ) {
    self.quantity = quantity
    self.start = start
    self.end = end ?? start
    self.value = value
    self.source = source
  }

  package var isInstant: Bool { start == end }
  package var isManual: Bool { flags.contains(.manual) }
  /// Microseconds; 0 for a sample whose end lies before its start.
  package var length: Int64 { end > start ? end - start : 0 }

  /// The number of an attribute.
  package func number(_ key: String) -> Fraction? {
    attributes.lazy.compactMap { $0.key == key ? $0.number : nil }.first
  }

  /// The text of an attribute.
  package func text(_ key: String) -> String? { attributes.lazy.compactMap { $0.key == key ? $0.text : nil }.first }
}

/// One attribute of a sample: a number in the unit that its key has (``HealthAttribute/Key``), or a text.
package struct HealthAttribute: Sendable, Hashable {
  package enum Value: Sendable, Hashable {
    case number(Fraction)
    case text(String)
  }

  package var key: String
  package var value: Value

  package init(_ key: String, _ value: Fraction) {
    self.key = key
    self.value = .number(value)
  }

  package init(_ key: String, _ text: String) {
    self.key = key
    value = .text(text)
  }

  package var number: Fraction? {
    if case .number(let number) = value { return number }
    return nil
  }

  package var text: String? {
    if case .text(let text) = value { return text }
    return nil
  }

  /// The keys that mean something here. Further ones are the words of quantities (``HealthQuantity/word``): of a meal its
  /// nutrients, of a linked pressure `systolic` and `diastolic`, of a summed-up day its sums.
  package enum Key {
    /// Of a workout, `duration` in s without pauses.
    package static let duration = "duration"
    /// Of a workout, m: by its statistics, and as its summary has it.
    package static let distance = "distance"
    package static let totalDistance = "total_distance"
    /// Of a workout, /min.
    package static let averageHeartRate = "heart_rate_average"
    package static let minimumHeartRate = "heart_rate_minimum"
    package static let maximumHeartRate = "heart_rate_maximum"
    /// Of a session of sleep, s.
    package static let asleep = "asleep"
    /// All sleep, whatever its stage.
    package static let total = "total"
    package static let inBed = "in_bed"
    package static let awake = "awake"
    package static let core = "core"
    package static let deep = "deep"
    package static let rem = "rem"
    /// Of a heart rate that stands for an interval, /min.
    package static let minimum = "min"
    package static let maximum = "max"
    /// The local day of a summary or a summed-up day, `YYYY-MM-DD`.
    package static let date = "date"
    /// The zone in which a sample was measured, such as `Europe/Berlin`.
    package static let zone = "time_zone"
    /// `before`, `after` or `fasting`; Apple's own number of it, 1 or 2.
    package static let meal = "meal"
    package static let appleMeal = "hk:HKBloodGlucoseMealTime"
    /// What was eaten.
    package static let food = "food"
    package static let foodType = "hk:HKFoodType"
    package static let foodMeal = "hk:HKFoodMeal"
    /// `yes` or `no`.
    package static let protection = "protection"
    /// What the person did while the heart rate was taken: a background measurement has it.
    package static let motion = "motion_context"
    package static let appleMotion = "hk:HKMetadataKeyHeartRateMotionContext"
    package static let appleZone = "hk:HKTimeZone"
    package static let externalID = "hk:HKExternalUUID"
    package static let syncID = "hk:HKMetadataKeySyncIdentifier"
    /// Of an activity summary: kcal, s and hours.
    package static let activeEnergy = "active_energy"
    package static let exercise = "exercise"
    package static let standHours = "stand_hours"
  }
}

/// What a sample of sleep is; the raw values are the contract's (`MH_SLEEP_*`).
package enum SleepStage: UInt32, Sendable, Hashable, CaseIterable {
  case inBed = 1
  case asleep = 2
  case awake = 3
  case core = 4
  case deep = 5
  case rem = 6
  case session = 7
}

/// Which store an export comes from.
package enum HealthFamily: String, Sendable, Hashable, CaseIterable {
  case apple = "apple_health"
  case healthConnect = "health_connect"
  case samsung = "samsung_health"
}

/// A program or device that wrote samples.
package struct HealthSource: Sendable, Hashable {
  /// What kind of device it is, where the export says so; the raw values are the contract's (`MH_SOURCE_*`).
  package struct Flags: OptionSet, Sendable, Hashable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let watch = Flags(rawValue: 0x1)
    package static let phone = Flags(rawValue: 0x2)
    package static let manual = Flags(rawValue: 0x4)
  }

  /// What makes two spellings one source: a package name, or the name again.
  package var key: String
  /// The name as the export writes it.
  package var name: String
  /// What the export says of the device.
  package var detail: String
  package var flags: Flags
  /// Its places in the orders that the export's owner chose, one order for each category.
  package var priorities: [HealthCategory: Priority]

  /// A place in an order.
  package enum Priority: Sendable, Hashable {
    /// From 1, the first counts most.
    case place(UInt32)
    /// Left out by the owner.
    case leftOut
  }

  package init(
    _ name: String, key: String? = nil, detail: String = "", flags: Flags = [],
    priorities: [HealthCategory: Priority] = [:]
  ) {
    self.key = key ?? name
    self.name = name
    self.detail = detail
    self.flags = flags
    self.priorities = priorities
  }
}

/// What Health Connect keeps an order of sources for; the raw values are its own.
package enum HealthCategory: Int, Sendable, Hashable, CaseIterable {
  case activity = 1
  case body = 2
  case cycle = 3
  case nutrition = 4
  case sleep = 5
  case vitals = 6
  case wellness = 7
}

extension HealthQuantity {
  /// The category that it belongs to.
  package var category: HealthCategory {
    switch self {
    case .sleep: .sleep
    case .mindful: .wellness
    case .weight, .height, .bodyFat, .leanMass, .bmi, .bodyWaterMass, .boneMass, .muscleMass, .waist, .basalRate: .body
    default:
      switch kind {
      case .measurement, .pressure: .vitals
      case .nutrition: .nutrition
      case .reproductive: .cycle
      default: .activity
      }
    }
  }
}
