extension Metric {
  private static let energy: HostUnits = [("kcal", 0...30_000), ("kJ", 0...125_520)]
  /// A day of 25 hours, and the two weeks that an expedition is recorded in one piece.
  private static let duration: HostUnits = [
    ("s", 0...1_209_600), ("min", 0...20_160), ("h", 0...336),
  ]
  private static let moves: Set<RecordType> = [.fitness, .intraday]

  /// Sums of a day and of a workout.
  static let hostActivity: [Metric] = [
    host(0x7200, "steps", [("{count}", 0...500_000)], loinc: "55423-8", type: .routine, others: moves),
    host(0x7201, "distance", [("m", 0...1_000_000)], type: .routine, others: moves),
    host(0x7202, "floors_climbed", [("{count}", 0...10_000)], type: .routine, others: moves),
    host(0x7203, "elevation", [("m", 0...100_000)], type: .routine, others: moves),
    host(0x7204, "wheelchair_pushes", [("{count}", 0...500_000)], type: .routine, others: moves),
    host(0x7205, "wheelchair_distance", [("m", 0...1_000_000)], type: .routine, others: moves),
    host(0x7206, "active_duration", duration, type: .fitness, others: [.routine, .intraday]),
    host(0x7207, "energy_burned", energy, type: .routine, others: moves),
    host(0x7208, "active_energy_burned", energy, type: .routine, others: moves),
    host(0x7209, "basal_energy_burned", energy, type: .routine, others: moves),
    host(0x720A, "stand_hours_count", [("{count}", 0...25)], type: .routine),
    host(0x720B, "idle_hours_count", [("{count}", 0...25)], type: .routine),
    host(0x720C, "mindful_duration", duration, type: .routine, others: [.fitness]),
    host(0x720D, "lightly_active_duration", duration, type: .routine, others: moves),
    host(0x720E, "fairly_active_duration", duration, type: .routine, others: moves),
    host(0x720F, "very_active_duration", duration, type: .routine, others: moves),
    host(0x7210, "heart_rate_zone_very_low", duration, type: .routine, others: moves),
    host(0x7211, "heart_rate_zone_low", duration, type: .routine, others: moves),
    host(0x7212, "heart_rate_zone_medium", duration, type: .routine, others: moves),
    host(0x7213, "heart_rate_zone_high", duration, type: .routine, others: moves),
  ]
}
