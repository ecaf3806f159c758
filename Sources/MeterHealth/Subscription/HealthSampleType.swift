import DriverContract

/// A type of sample that can be subscribed to.
///
/// The names are HealthKit's, as its exports write them; types that only other health stores have are called by the word of their
/// quantity.
struct HealthSampleType: Sendable, Hashable {
  /// `HKQuantityTypeIdentifierStepCount`, `elevation`.
  let name: String
  /// What samples of it tell. None for a type that an export may have and that tells nothing which is kept.
  let quantities: Set<HealthQuantity>

  private init(_ name: String, _ quantities: Set<HealthQuantity>) {
    self.name = name
    self.quantities = quantities
  }

  /// The type of a name: HealthKit's, with or without what it begins with, the word of the quantity, or `bloodPressure`.
  init?(named name: String) {
    guard let type = Self.byName[name] else { return nil }
    self = type
  }

  /// The shortest of its names.
  var shortName: String {
    for prefix in Self.prefixes where name.hasPrefix(prefix) { return String(name.dropFirst(prefix.count)) }
    return name
  }

  private static let quantity = "HKQuantityTypeIdentifier"
  private static let category = "HKCategoryTypeIdentifier"
  private static let correlation = "HKCorrelationTypeIdentifier"
  private static let prefixes = [quantity, category, correlation]

  /// Every type, each once.
  static let all: [HealthSampleType] = {
    var types = measured.map { HealthSampleType(quantity + $0.0, [$0.1]) }
    types += categories.map { HealthSampleType(category + $0.0, [$0.1]) }
    types.append(HealthSampleType(quantity + "NikeFuel", []))
    types.append(HealthSampleType(correlation + "BloodPressure", [.bloodPressure, .systolic, .diastolic]))
    types.append(HealthSampleType("HKWorkoutTypeIdentifier", [.workout]))
    return types + others.map { HealthSampleType($0.word, [$0]) }
  }()

  private static let byName: [String: HealthSampleType] = {
    var result: [String: HealthSampleType] = [:]
    for type in all {
      result[type.name] = type
      result[type.shortName] = type
      if type.quantities.count == 1, let quantity = type.quantities.first { result[quantity.word] = type }
      if type.quantities.contains(.bloodPressure) {
        for name in ["bloodPressure", HealthQuantity.bloodPressure.word] { result[name] = type }
      }
    }
    return result
  }()

  /// Types that HealthKit does not have.
  private static let others: [HealthQuantity] = [
    .elevation, .energyTotal, .bodyWaterMass, .boneMass, .muscleMass, .hrvRMSSD, .basalRate,
  ]

  private static let categories: [(String, HealthQuantity)] = [
    ("AppleStandHour", .standHour), ("MindfulSession", .mindful), ("SleepAnalysis", .sleep),
    ("MenstrualFlow", .menstrualFlow), ("OvulationTestResult", .ovulationTest),
    ("CervicalMucusQuality", .cervicalMucus), ("SexualActivity", .sexualActivity),
    ("IntermenstrualBleeding", .intermenstrualBleeding),
  ]

  private static let measured: [(String, HealthQuantity)] = [
    ("StepCount", .steps), ("DistanceWalkingRunning", .distanceWalking), ("DistanceCycling", .distanceCycling),
    ("DistanceWheelchair", .distanceWheelchair), ("FlightsClimbed", .floors), ("ActiveEnergyBurned", .energyActive),
    ("BasalEnergyBurned", .energyBasal), ("AppleExerciseTime", .exercise), ("PushCount", .pushes),
    ("BodyMass", .weight), ("Height", .height), ("BodyFatPercentage", .bodyFat), ("LeanBodyMass", .leanMass),
    ("BodyMassIndex", .bmi), ("WaistCircumference", .waist), ("BloodGlucose", .glucose),
    ("BloodPressureSystolic", .systolic), ("BloodPressureDiastolic", .diastolic), ("HeartRate", .heartRate),
    ("RestingHeartRate", .restingHeartRate), ("WalkingHeartRateAverage", .walkingHeartRate),
    ("HeartRateVariabilitySDNN", .hrvSDNN), ("OxygenSaturation", .oxygenSaturation),
    ("BodyTemperature", .bodyTemperature), ("BasalBodyTemperature", .basalTemperature),
    ("RespiratoryRate", .respiratoryRate), ("VO2Max", .vo2Max), ("DietaryEnergyConsumed", .dietEnergy),
    ("DietaryWater", .dietWater), ("DietaryCarbohydrates", .dietCarbohydrates), ("DietaryProtein", .dietProtein),
    ("DietaryFatTotal", .dietFat), ("DietaryFatSaturated", .dietSaturatedFat), ("DietaryFiber", .dietFiber),
    ("DietarySugar", .dietSugar), ("DietaryCholesterol", .dietCholesterol), ("DietarySodium", .dietSodium),
    ("DietaryCalcium", .dietCalcium), ("DietaryIron", .dietIron), ("DietaryPotassium", .dietPotassium),
  ]
}
