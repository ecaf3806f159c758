extension Metric {
  private static let rate: HostUnits = [("/min", 20...300)]
  private static let saturation: HostUnits = [("%", 35...100)]
  private static let mass: HostUnits = [("kg", 0.1...300), ("[lb_av]", 0.2...661.4)]

  /// Heart, breath and body.
  static let hostVitalSigns: [Metric] = [
    host(
      0x7001, "resting_heart_rate", rate, inform: "resting_heart_rate", type: .biometrics, field: "resting_heartrate",
      others: [.routine, .sleep, .intraday]),
    host(
      0x7002, "min_heart_rate", rate, inform: "min_heart_rate", type: .biometrics,
      others: [.routine, .fitness, .sleep, .intraday]),
    host(
      0x7003, "avg_heart_rate", rate, inform: "avg_heart_rate", type: .biometrics,
      others: [.routine, .fitness, .sleep, .intraday]),
    host(
      0x7004, "max_heart_rate", rate, inform: "max_heart_rate", type: .biometrics,
      others: [.routine, .fitness, .sleep, .intraday]),
    host(
      0x7005, "heart_rate_variability", [("ms", 0...1000)], inform: "heart_rate_variability", type: .biometrics,
      others: [.routine, .sleep, .intraday]),
    host(
      0x7006, "min_spo2", saturation, inform: "min_spo2", type: .biometrics, others: [.routine, .sleep, .intraday]),
    host(
      0x7007, "avg_spo2", saturation, inform: "avg_spo2", type: .biometrics, others: [.routine, .sleep, .intraday]),
    host(
      0x7008, "max_spo2", saturation, inform: "max_spo2", type: .biometrics, others: [.routine, .sleep, .intraday]),
    host(
      0x7009, "respiratory_rate", [("/min", 2...120)], inform: "respiratory_rate", loinc: "9279-1", type: .biometrics,
      others: [.routine, .sleep, .intraday]),
    host(0x700A, "fev1", [("L", 0.1...12)], inform: "fev1", type: .biometrics),
    host(0x700B, "fvc", [("L", 0.1...15)], inform: "fvc", type: .biometrics),
    host(0x700C, "pef", [("L/min", 10...1200)], inform: "pef", type: .biometrics),
    // Withings, whose fields the Legacy record mirrors, calls it "fat mass weight".
    host(0x7020, "body_fat_mass", mass, inform: nil, type: .weight, field: "mass_weight"),
    host(0x7021, "body_water_percent", [("%", 20...90)], inform: "body_water", type: .weight),
    // Scales show a level without a unit, of 1 to 59.
    host(0x7022, "visceral_fat", [("1", 0...100)], inform: "visceral_fat", type: .weight),
  ]
}
