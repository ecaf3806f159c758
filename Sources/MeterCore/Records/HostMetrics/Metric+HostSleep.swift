extension Metric {
  /// Two days: longer than any night that somebody recorded in one piece.
  private static let duration: HostUnits = [("s", 0...172_800), ("min", 0...2880), ("h", 0...48)]

  /// A night.
  static let hostSleep: [Metric] = [
    host(0x7300, "sleep_duration", duration, loinc: "93832-4", type: .sleep),
    host(0x7301, "deep_sleep", duration, loinc: "93831-6", type: .sleep),
    host(0x7302, "light_sleep", duration, loinc: "93830-8", type: .sleep),
    host(0x7303, "rem_sleep", duration, loinc: "93829-0", type: .sleep),
    host(0x7304, "awake_duration", duration, type: .sleep),
    host(0x7305, "awake_count", [("{count}", 0...1000)], type: .sleep),
    host(0x7306, "in_bed_duration", duration, type: .sleep),
    host(0x7307, "time_to_fall_asleep", duration, type: .sleep),
  ]
}
