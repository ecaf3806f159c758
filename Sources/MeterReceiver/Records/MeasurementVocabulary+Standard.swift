extension MeasurementVocabulary {
  /// Inform v2's metrics, and those beyond them that meters report, with their UCUM units.
  ///
  /// The ranges are as wide as meters go and as narrow as a mix-up of units needs: 5.6 "mg/dL" and 100 "mmol/L" of
  /// glucose, 98.6 "Cel" and 37 "[degF]" are refused. Glucose: 1 mmol/L = 18.016 mg/dL, so 10...1000 mg/dL is
  /// 0.56...55.5 mmol/L; meters report 20...600 mg/dL, so what stays open is a value between 10 and 55.5. Every unit in
  /// which a driver may report a value that Inform has a name for is here.
  public static let standard = MeasurementVocabulary(
    metrics: [laboratory, vitalSigns, bodyComposition, respiration, activity, sleep, nutrition]
      .reduce(into: [:]) { $0.merge($1, uniquingKeysWith: { first, _ in first }) })

  /// What a metric is about; it decides in which records it may stand.
  enum Group {
    case measured, activity, sleep, nutrition
  }

  static func group(of metric: String) -> Group {
    if activity[metric] != nil { return .activity }
    if sleep[metric] != nil { return .sleep }
    return nutrition[metric] != nil ? .nutrition : .measured
  }

  private static let laboratory: [String: Units] = [
    "blood_glucose": ["mg/dL": 10...1000, "mmol/L": 0.5...55.5],
    "avg_blood_glucose": ["mg/dL": 10...1000, "mmol/L": 0.5...55.5],
    "blood_ketone": ["mmol/L": 0...20],
    "blood_lactate": ["mg/dL": 1...250, "mmol/L": 0.1...30],
    "gmi": ["%": 3...25],
    "hematocrit": ["%": 5...80],
    "hemoglobin": ["g/dL": 2...30],
    "inr": ["{INR}": 0.2...20],
    "insulin": ["[iU]": 0...1000],
    "pt": ["s": 1...300],
    "total_cholesterol": ["mg/dL": 30...1000],
    "uric_acid": ["mg/dL": 0.5...40],
  ]

  private static let vitalSigns: [String: Units] = [
    "systolic": ["mm[Hg]": 20...350, "kPa": 2.6...47],
    "diastolic": ["mm[Hg]": 10...300, "kPa": 1.3...40],
    "pulse": heartRate,
    "resting_heart_rate": heartRate,
    "min_heart_rate": heartRate,
    "avg_heart_rate": heartRate,
    "max_heart_rate": heartRate,
    "heart_rate_variability": ["ms": 0...1000],
    "spo2": saturation,
    "min_spo2": saturation,
    "avg_spo2": saturation,
    "max_spo2": saturation,
    "body_temperature": ["Cel": 10...49.9, "[degF]": 50...122],
  ]

  private static let heartRate: Units = ["/min": 10...400]
  private static let saturation: Units = ["%": 1...100]

  /// Water is a share or a mass: scales tell one or the other, and the unit says which. Visceral fat is the maker's rating.
  private static let bodyComposition: [String: Units] = [
    "body_weight": ["kg": 0.1...700, "[lb_av]": 0.2...1550],
    "body_lean_mass": ["kg": 0.1...700, "[lb_av]": 0.2...1550],
    "body_muscle_mass": ["kg": 0.1...700, "[lb_av]": 0.2...1550],
    "body_bone_mass": ["kg": 0.01...50, "[lb_av]": 0.02...110],
    "body_fat": ["%": 0...100],
    "body_water": ["%": 0...100, "kg": 0.1...500, "[lb_av]": 0.2...1100],
    "bmi": ["kg/m2": 1...300],
    "body_height": ["cm": 20...300, "m": 0.2...3, "[in_i]": 8...120],
    "visceral_fat": ["1": 0...100],
  ]

  private static let respiration: [String: Units] = [
    "respiratory_rate": ["/min": 1...150],
    "fev1": ["L": 0...20],
    "fvc": ["L": 0...20],
    "pef": ["L/min": 0...1500],
  ]
}

// MARK: - Sums over a day, a workout, a night or a meal

extension MeasurementVocabulary {
  private static let activity: [String: Units] = [
    "steps": count,
    "floors_climbed": count,
    "wheelchair_pushes": count,
    "stand_hours_count": ["{count}": 0...744],
    "idle_hours_count": ["{count}": 0...744],
    "distance": length,
    "elevation": ["m": -20_000...1_000_000, "km": -20...1000],
    "wheelchair_distance": length,
    "active_duration": duration,
    "fairly_active_duration": duration,
    "lightly_active_duration": duration,
    "very_active_duration": duration,
    "heart_rate_zone_very_low": duration,
    "heart_rate_zone_low": duration,
    "heart_rate_zone_medium": duration,
    "heart_rate_zone_high": duration,
    "mindful_duration": duration,
    "energy_burned": energy,
    "active_energy_burned": energy,
    "basal_energy_burned": energy,
  ]

  private static let sleep: [String: Units] = [
    "sleep_duration": duration,
    "deep_sleep": duration,
    "light_sleep": duration,
    "rem_sleep": duration,
    "awake_duration": duration,
    "awake_count": ["{count}": 0...1000],
    "in_bed_duration": duration,
    "time_to_fall_asleep": duration,
  ]

  private static let nutrition: [String: Units] = [
    "energy_consumed": energy,
    "carbohydrate": grams,
    "protein": grams,
    "fat": grams,
    "saturated_fat": grams,
    "dietary_fiber": grams,
    "sugars": grams,
    "sodium": milligrams,
    "cholesterol": milligrams,
    "calcium": milligrams,
    "water": ["mL": 0...50_000, "L": 0...50],
  ]

  private static let count: Units = ["{count}": 0...1_000_000]
  private static let length: Units = ["m": 0...5_000_000, "km": 0...5000]
  /// At most a month.
  private static let duration: Units = ["s": 0...2_678_400, "min": 0...44_640, "h": 0...744]
  private static let energy: Units = ["kcal": 0...50_000, "kJ": 0...209_200]
  private static let grams: Units = ["g": 0...10_000]
  private static let milligrams: Units = ["mg": 0...200_000, "g": 0...200]
}
