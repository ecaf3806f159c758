extension MeasurementVocabulary {
  /// Inform v2's measurement metrics with their UCUM units.
  ///
  /// The ranges are as wide as meters go and as narrow as a mix-up of units needs: 5.6 "mg/dL" and 100 "mmol/L" of
  /// glucose, 98.6 "Cel" and 37 "[degF]" are refused. Glucose: 1 mmol/L = 18.016 mg/dL, so 10...1000 mg/dL is
  /// 0.56...55.5 mmol/L; meters report 20...600 mg/dL, so what stays open is a value between 10 and 55.5. Metrics
  /// whose unit no source states (`visceral_fat` and the like) are left out: a host that needs them hands in its own
  /// vocabulary.
  public static let standard = MeasurementVocabulary(
    metrics: laboratory.merging(vitalSigns, uniquingKeysWith: { first, _ in first })
      .merging(bodyComposition, uniquingKeysWith: { first, _ in first })
      .merging(respiration, uniquingKeysWith: { first, _ in first }))

  private static let laboratory: [String: Units] = [
    "blood_glucose": ["mg/dL": 10...1000, "mmol/L": 0.5...55.5],
    "avg_blood_glucose": ["mg/dL": 10...1000, "mmol/L": 0.5...55.5],
    "blood_ketone": ["mmol/L": 0...20],
    "gmi": ["%": 3...25],
    "inr": ["{INR}": 0.2...20],
    "pt": ["s": 1...300],
    "insulin": ["[iU]": 0...1000],
  ]

  private static let vitalSigns: [String: Units] = [
    "systolic": ["mm[Hg]": 20...350],
    "diastolic": ["mm[Hg]": 10...300],
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

  private static let bodyComposition: [String: Units] = [
    "body_weight": ["kg": 0.1...700, "[lb_av]": 0.2...1550],
    "body_lean_mass": ["kg": 0.1...700, "[lb_av]": 0.2...1550],
    "body_muscle_mass": ["kg": 0.1...700, "[lb_av]": 0.2...1550],
    "body_bone_mass": ["kg": 0.01...50, "[lb_av]": 0.02...110],
    "body_fat": ["%": 0...100],
    "body_water": ["%": 0...100],
    "bmi": ["kg/m2": 1...300],
    "body_height": ["cm": 20...300, "m": 0.2...3],
  ]

  private static let respiration: [String: Units] = [
    "respiratory_rate": ["/min": 1...150],
    "fev1": ["L": 0...20],
    "fvc": ["L": 0...20],
    "pef": ["L/min": 0...1500],
  ]
}
