extension Metric {
  /// Two days: longer than any night that somebody recorded in one piece.
  private static let duration: HostUnits = [("s", 0...172_800), ("min", 0...2880), ("h", 0...48)]

  /// A night.
  static let hostSleep: [Metric] = [
    host(
      0x7300, "sleep_duration", duration, inform: "sleep_duration", type: .sleep, field: "total_sleep"),
    host(0x7301, "deep_sleep", duration, inform: "deep_sleep", type: .sleep, field: "deep"),
    host(0x7302, "light_sleep", duration, inform: "light_sleep", type: .sleep, field: "light"),
    host(0x7303, "rem_sleep", duration, inform: "rem_sleep", type: .sleep, field: "rem"),
    host(
      0x7304, "awake_duration", duration, inform: "awake_duration", type: .sleep, field: "awake"),
    host(
      0x7305, "awake_count", [("{count}", 0...1000)], inform: "awake_count", type: .sleep, field: "times_woken"),
    host(0x7306, "in_bed_duration", duration, inform: "in_bed_duration", type: .sleep),
    host(0x7307, "time_to_fall_asleep", duration, inform: "time_to_fall_asleep", type: .sleep),
  ]
}
