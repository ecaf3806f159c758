extension Metric {
  private static let rate: HostUnits = [("/min", 20...300)]
  private static let saturation: HostUnits = [("%", 35...100)]
  private static let mass: HostUnits = [("kg", 0.1...300), ("[lb_av]", 0.2...661.4)]

  /// Heart, breath and body.
  static let hostVitalSigns: [Metric] = [
    host(
      0x7001, "resting_heart_rate", rate, loinc: "40443-4", type: .biometrics, others: [.routine, .sleep, .intraday]),
    host(0x7002, "min_heart_rate", rate, type: .biometrics, others: [.routine, .fitness, .sleep, .intraday]),
    host(0x7003, "avg_heart_rate", rate, type: .biometrics, others: [.routine, .fitness, .sleep, .intraday]),
    host(0x7004, "max_heart_rate", rate, type: .biometrics, others: [.routine, .fitness, .sleep, .intraday]),
    host(
      0x7005, "heart_rate_variability", [("ms", 0...1000)], type: .biometrics, others: [.routine, .sleep, .intraday]),
    host(0x7006, "min_spo2", saturation, type: .biometrics, others: [.routine, .sleep, .intraday]),
    host(0x7007, "avg_spo2", saturation, type: .biometrics, others: [.routine, .sleep, .intraday]),
    host(0x7008, "max_spo2", saturation, type: .biometrics, others: [.routine, .sleep, .intraday]),
    host(
      0x7009, "respiratory_rate", [("/min", 2...120)], loinc: "9279-1", type: .biometrics,
      others: [.routine, .sleep, .intraday]),
    host(0x700A, "fev1", [("L", 0.1...12)], loinc: "20150-9", type: .biometrics),
    host(0x700B, "fvc", [("L", 0.1...15)], type: .biometrics),
    host(0x700C, "pef", [("L/min", 10...1200)], type: .biometrics),
    host(0x7020, "body_fat_mass", mass, type: .weight),
    host(0x7021, "body_water_percent", [("%", 20...90)], type: .weight),
    // Scales show a level without a unit, of 1 to 59.
    host(0x7022, "visceral_fat", [("1", 0...100)], type: .weight),
  ]
}
