import MeterCore
import CurlHTTP

/// A field of a Legacy (v1) record that holds a number.
struct LegacyV1Field: Sendable {
  /// The field's name.
  let name: String
  /// The unit in which it is written, in UCUM.
  let ucum: String
  /// The metrics that it may hold, the nearest first.
  let metrics: [String]

  init(_ name: String, _ ucum: String, _ metrics: String...) {
    self.name = name
    self.ucum = ucum
    self.metrics = metrics.isEmpty ? [name] : metrics
  }

  /// The fields by type, with the units of Validic's public description of its Legacy API. What is no number stands apart:
  /// `relationship_to_meal`, `type`, `intensity`, `start_time` and `meal`.
  static let all: [RecordType: [LegacyV1Field]] = [
    .biometrics: [
      .init("blood_calcium", "mg/dL"), .init("blood_chromium", "ug/L"), .init("blood_folic_acid", "ng/mL"),
      .init("blood_magnesium", "mg/dL"), .init("blood_potassium", "meq/L"), .init("blood_sodium", "meq/L"),
      .init("blood_vitamin_b12", "pg/mL"), .init("blood_zinc", "ug/dL"), .init("creatine_kinase", "U/L"),
      .init("crp", "mg/L"), .init("diastolic", "mm[Hg]"), .init("ferritin", "ng/mL"), .init("hdl", "mg/dL"),
      .init("hscrp", "mg/L"), .init("il6", "pg/mL"), .init("ldl", "mg/dL"),
      .init("resting_heartrate", "/min", "resting_heart_rate", "pulse"), .init("systolic", "mm[Hg]"),
      .init("testosterone", "ng/dL"), .init("total_cholesterol", "mg/dL"), .init("tsh", "m[iU]/L"),
      .init("uric_acid", "mg/dL"), .init("vitamin_d", "ng/mL"), .init("white_cell_count", "{cells}/uL"),
      .init("spo2", "%"), .init("temperature", "Cel", "body_temperature"),
    ],
    .diabetes: [
      .init("c_peptide", "ng/mL"), .init("fasting_plasma_glucose_test", "mg/dL"), .init("hba1c", "%"),
      .init("insulin", "[iU]"), .init("oral_glucose_tolerance_test", "mg/dL"),
      .init("random_plasma_glucose_test", "mg/dL"), .init("triglyceride", "mg/dL"), .init("blood_glucose", "mg/dL"),
    ],
    .weight: [
      .init("weight", "kg", "body_weight"), .init("height", "cm", "body_height"),
      .init("free_mass", "kg", "fat_free_mass", "soft_lean_mass"), .init("fat_percent", "%", "body_fat"),
      // "Fat mass weight" of Withings, whose fields the form mirrors.
      .init("mass_weight", "kg", "body_fat_mass"), .init("bmi", "kg/m2"),
    ],
    .routine: [
      .init("steps", "{count}"), .init("distance", "m"), .init("floors", "{count}", "floors_climbed"),
      .init("elevation", "m"), .init("calories_burned", "kcal", "energy_burned"),
    ],
    .nutrition: [
      .init("calories", "kcal", "energy_consumed"), .init("carbohydrates", "g", "carbohydrate_consumed"),
      .init("fat", "g"), .init("fiber", "g", "dietary_fiber"), .init("protein", "g"), .init("sodium", "mg"),
      .init("water", "mL"),
    ],
    .fitness: [
      .init("distance", "m"), .init("duration", "s", "active_duration"),
      // Of a workout only what moving took, where that is told.
      .init("calories", "kcal", "active_energy_burned", "energy_burned"),
    ],
    .sleep: [
      .init("awake", "s", "awake_duration"), .init("deep", "s", "deep_sleep"), .init("light", "s", "light_sleep"),
      .init("rem", "s", "rem_sleep"), .init("times_woken", "{count}", "awake_count"),
      .init("total_sleep", "s", "sleep_duration"),
    ],
  ]

  /// The texts that have fields of their own, by type: the host's name and the field.
  static let texts: [RecordType: [(text: String, field: String)]] = [
    .fitness: [("activity_name", "type"), ("intensity", "intensity")], .nutrition: [("meal", "meal")],
  ]

  /// The Legacy API's words for `relationship_to_meal`; it has none for bedtime.
  static let meals = ["before": "before", "after": "after", "fasting": "fasting", "casual": "random"]
}
