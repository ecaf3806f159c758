/// What a person subscribes to of a health store: a group of sample types.
///
/// ```swift
/// for set in HealthSet.allCases { print(set.rawValue, set.sampleTypes) }
/// ```
public enum HealthSet: String, Sendable, Hashable, Codable, CaseIterable {
  /// What a day comes to: steps, distance, floors, energy, active minutes, hours stood, mindful minutes.
  case routine
  /// Blood glucose.
  case diabetes
  /// Weight, height and composition of the body.
  case weight
  /// Workouts.
  case fitness
  /// Nights and naps.
  case sleep
  /// What was eaten and drunk.
  case nutrition
  /// Reproductive health. Only legacy receivers take it.
  case reproductive
  /// Blood pressure, heart rate, temperature and oxygen saturation.
  case biometrics

  /// The sample types of the set by HealthKit's names, as its exports write them. Exports of other health stores have the same under
  /// names of their own.
  public var sampleTypes: [String] { shortNames.compactMap { HealthSampleType(named: $0)?.name } }

  /// Types of the set that HealthKit does not have.
  package var furtherTypes: [String] {
    switch self {
    case .routine: ["elevation", "energy_total"]
    case .weight: ["body_water_mass", "bone_mass", "muscle_mass", "basal_rate"]
    case .diabetes, .fitness, .sleep, .nutrition, .reproductive, .biometrics: []
    }
  }

  private var shortNames: [String] {
    switch self {
    case .routine:
      [
        "StepCount", "FlightsClimbed", "ActiveEnergyBurned", "BasalEnergyBurned", "DistanceWalkingRunning",
        "AppleExerciseTime", "AppleStandHour", "MindfulSession", "PushCount", "DistanceWheelchair",
      ]
    case .diabetes: ["BloodGlucose"]
    case .weight: ["BodyMass", "Height", "BodyFatPercentage", "LeanBodyMass", "BodyMassIndex"]
    case .fitness: ["HKWorkoutTypeIdentifier", "DistanceCycling", "NikeFuel"]
    case .sleep: ["SleepAnalysis"]
    case .nutrition:
      [
        "DietaryCalcium", "DietaryCarbohydrates", "DietaryCholesterol", "DietaryFiber", "DietaryProtein",
        "DietaryFatSaturated", "DietarySodium", "DietaryFatTotal", "DietaryEnergyConsumed", "DietaryWater",
        "DietaryIron", "DietaryPotassium", "DietarySugar",
      ]
    case .reproductive:
      [
        "SexualActivity", "CervicalMucusQuality", "IntermenstrualBleeding", "MenstrualFlow", "OvulationTestResult",
        "BasalBodyTemperature",
      ]
    case .biometrics:
      [
        "BloodPressureSystolic", "BloodPressureDiastolic", "BloodPressure", "HeartRate", "BodyTemperature",
        "OxygenSaturation",
      ]
    }
  }
}
