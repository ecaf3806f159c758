package import DriverContract

/// What a sample of a health export tells, in the contract's words for it.
package typealias HealthQuantity = ImportQuantity

extension HealthQuantity {
  /// What is done with samples of it.
  package enum Kind: Sendable, Hashable {
    /// Only counted.
    case none
    /// Added up over time, source against source.
    case sum
    /// An hour, a duration, a night or a workout, each with rules of its own.
    case hour, mindful, sleep, workout
    /// A day as its source has summed it up.
    case day
    /// A measured value.
    case measurement
    /// Two pressures.
    case pressure
    /// What was eaten.
    case nutrition
    /// A word of reproductive health.
    case reproductive
    /// A summary to compare with.
    case check
  }

  package var kind: Kind {
    switch self {
    case .other: .none
    case .standHour: .hour
    case .mindful: .mindful
    case .sleep: .sleep
    case .workout: .workout
    case .seriesDay: .day
    case .bloodPressure: .pressure
    case .activitySummary: .check
    default:
      switch rawValue {
      case 1...14: .sum
      case 40...63: .measurement
      case 80...93: .nutrition
      default: .reproductive
      }
    }
  }

  /// Its name in identities, attributes and reports. Identities are made of it: a name never changes.
  package var word: String { Self.words[self] ?? "other" }

  /// The quantity of a name.
  package init?(word: String) {
    guard let quantity = Self.byWord[word] else { return nil }
    self = quantity
  }

  private static let byWord = Dictionary(words.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })

  private static let words: [HealthQuantity: String] = [
    .steps: "steps", .distanceWalking: "distance_walking", .distanceCycling: "distance_cycling",
    .distanceSwimming: "distance_swimming", .distanceWheelchair: "distance_wheelchair",
    .distanceOther: "distance_other", .floors: "floors", .elevation: "elevation", .energyActive: "energy_active",
    .energyBasal: "energy_basal", .energyTotal: "energy_total", .exercise: "exercise", .stand: "stand",
    .pushes: "pushes", .standHour: "stand_hour", .mindful: "mindful", .sleep: "sleep", .workout: "workout",
    .seriesDay: "series_day", .weight: "weight", .height: "height", .bodyFat: "body_fat", .leanMass: "lean_mass",
    .bmi: "bmi", .bodyWaterMass: "body_water_mass", .boneMass: "bone_mass", .muscleMass: "muscle_mass",
    .waist: "waist", .glucose: "glucose", .systolic: "systolic", .diastolic: "diastolic", .heartRate: "heart_rate",
    .restingHeartRate: "resting_heart_rate", .walkingHeartRate: "walking_heart_rate", .hrvSDNN: "hrv_sdnn",
    .hrvRMSSD: "hrv_rmssd", .oxygenSaturation: "oxygen_saturation", .bodyTemperature: "body_temperature",
    .basalTemperature: "basal_temperature", .respiratoryRate: "respiratory_rate", .vo2Max: "vo2_max",
    .basalRate: "basal_rate", .bloodPressure: "blood_pressure", .meal: "meal", .dietEnergy: "energy",
    .dietWater: "water", .dietCarbohydrates: "carbohydrates", .dietProtein: "protein", .dietFat: "fat",
    .dietSaturatedFat: "saturated_fat", .dietFiber: "fiber", .dietSugar: "sugar", .dietCholesterol: "cholesterol",
    .dietSodium: "sodium", .dietCalcium: "calcium", .dietIron: "iron", .dietPotassium: "potassium",
    .menstrualFlow: "menstrual_flow", .ovulationTest: "ovulation_test", .cervicalMucus: "cervical_mucus",
    .sexualActivity: "sexual_activity", .intermenstrualBleeding: "intermenstrual_bleeding",
    .activitySummary: "activity_summary",
  ]

  /// The unit that values are held in, by UCUM; nil where there is no number.
  package var unit: String? {
    switch self {
    case .steps, .floors, .pushes: "{count}"
    case .distanceWalking, .distanceCycling, .distanceSwimming, .distanceWheelchair, .distanceOther, .elevation: "m"
    case .energyActive, .energyBasal, .energyTotal, .dietEnergy: "kcal"
    case .exercise, .stand, .mindful: "s"
    case .weight, .leanMass, .bodyWaterMass, .boneMass, .muscleMass: "kg"
    case .height, .waist: "cm"
    case .bodyFat, .oxygenSaturation: "%"
    case .bmi: "kg/m2"
    case .glucose: "mg/dL"
    case .systolic, .diastolic: "mm[Hg]"
    case .heartRate, .restingHeartRate, .walkingHeartRate, .respiratoryRate: "/min"
    case .hrvSDNN, .hrvRMSSD: "ms"
    case .bodyTemperature, .basalTemperature: "Cel"
    case .vo2Max: "mL/kg/min"
    case .basalRate: "kcal/d"
    case .dietWater: "mL"
    case .dietCholesterol, .dietSodium, .dietCalcium, .dietIron, .dietPotassium: "mg"
    case .dietCarbohydrates, .dietProtein, .dietFat, .dietSaturatedFat, .dietFiber, .dietSugar: "g"
    default: nil
    }
  }

  /// Decimal places of a value that is given out. One number for each quantity, whatever the export's unit: the places of a
  /// measurement are as many as six digits in either of two units agree in.
  package var places: Int {
    switch self {
    case .steps, .floors, .pushes: 0
    case .glucose, .systolic, .diastolic, .heartRate, .restingHeartRate, .walkingHeartRate, .oxygenSaturation,
      .respiratoryRate, .height, .waist:
      1
    case .weight, .leanMass, .bodyWaterMass, .boneMass, .muscleMass, .bodyFat, .bmi, .bodyTemperature,
      .basalTemperature, .hrvSDNN, .hrvRMSSD, .vo2Max, .basalRate:
      2
    default: 3
    }
  }

  /// The most that one sample can be worth, in the quantity's unit; nil where there is no limit. A faulty sensor's 17,730 floors are
  /// none that anybody climbed.
  package var largestSample: Int64? {
    switch self {
    case .steps, .pushes: 500_000
    case .floors: 2_000
    case .distanceWalking, .distanceCycling, .distanceSwimming, .distanceWheelchair, .distanceOther: 1_000_000
    case .elevation: 100_000
    case .energyActive, .energyBasal, .energyTotal: 30_000
    case .exercise, .stand: 1_209_600
    default: nil
    }
  }
}
