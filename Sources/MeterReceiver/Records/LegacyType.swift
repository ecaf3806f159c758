/// The record types of the Legacy (v1) wire format.
enum LegacyType: String, Sendable, CaseIterable {
  case biometrics, diabetes, weight, fitness, routine, nutrition, sleep

  /// What is measured, by name, with the values that are believed. Units are fixed by the name.
  var measures: [String: ClosedRange<Double>] {
    switch self {
    case .biometrics: LegacyVocabulary.biometrics
    case .diabetes: LegacyVocabulary.diabetes
    case .weight: LegacyVocabulary.weight
    case .fitness: LegacyVocabulary.fitness
    case .routine: LegacyVocabulary.routine
    case .nutrition: LegacyVocabulary.nutrition
    case .sleep: LegacyVocabulary.sleep
    }
  }

  /// Members of the type that are texts.
  var texts: [String] {
    switch self {
    case .diabetes: ["relationship_to_meal"]
    case .fitness: ["type", "intensity"]
    case .nutrition: ["meal"]
    case .biometrics, .weight, .routine, .sleep: []
    }
  }

  /// The measures of all types, sorted.
  static let allMeasures = Set(allCases.flatMap { $0.measures.keys }).sorted()
  /// The texts of all types. One that stands in a record of another type is kept, and must be a text there too.
  static let allTexts = allCases.flatMap(\.texts)
}

/// What the Legacy wire format can say of a person, with the values that a living one could have.
///
/// The ranges tell a mix-up of units where two units of a value do not overlap: glucose is mg/dL, temperature Cel, weight kg,
/// height cm. Laboratory values whose unit no source states have no more than a sign and a size.
enum LegacyVocabulary {
  typealias Measures = [String: ClosedRange<Double>]

  private static let amount: ClosedRange<Double> = 0...1_000_000
  /// At most a month in seconds.
  private static let duration: ClosedRange<Double> = 0...2_678_400

  /// What clients put into the extras of biometrics: words, and a temperature.
  static let reproductive: Set<String> = [
    "menstrual_flow", "ovulation_test", "cervical_mucus", "sexual_activity", "intermenstrual_bleeding",
    "basal_body_temperature",
  ]

  static let biometrics: Measures = [
    "blood_calcium": amount, "blood_chromium": amount, "blood_folic_acid": amount, "blood_magnesium": amount,
    "blood_potassium": amount, "blood_sodium": amount, "blood_vitamin_b12": amount, "blood_zinc": amount,
    "creatine_kinase": amount, "crp": amount, "ferritin": amount, "hdl": amount, "hscrp": amount, "il6": amount,
    "ldl": amount, "testosterone": amount, "total_cholesterol": amount, "tsh": amount, "uric_acid": amount,
    "vitamin_d": amount, "white_cell_count": amount,
    "systolic": 20...350, "diastolic": 10...300, "resting_heartrate": 10...400, "spo2": 1...100,
    "temperature": 10...49.9,
  ]

  static let diabetes: Measures = [
    "c_peptide": amount, "hba1c": 2...25, "insulin": 0...1000, "triglyceride": amount,
    "fasting_plasma_glucose_test": glucose, "oral_glucose_tolerance_test": glucose,
    "random_plasma_glucose_test": glucose, "blood_glucose": glucose,
  ]

  private static let glucose: ClosedRange<Double> = 10...1000

  static let weight: Measures = [
    "weight": 0.1...700, "height": 20...300, "free_mass": 0.1...700, "fat_percent": 0...100, "mass_weight": 0.1...700,
    "bmi": 1...300,
  ]

  static let fitness: Measures = ["distance": 0...5_000_000, "duration": duration, "calories": 0...50_000]

  static let routine: Measures = [
    "steps": 0...1_000_000, "distance": 0...5_000_000, "floors": 0...1_000_000, "elevation": -20_000...1_000_000,
    "calories_burned": 0...50_000,
  ]

  static let nutrition: Measures = [
    "calories": 0...50_000, "carbohydrates": 0...10_000, "fat": 0...10_000, "fiber": 0...10_000,
    "protein": 0...10_000, "sodium": 0...200_000, "water": 0...50_000,
  ]

  static let sleep: Measures = [
    "awake": duration, "deep": duration, "light": duration, "rem": duration, "times_woken": 0...1000,
    "total_sleep": duration,
  ]
}
