/// The meter's scale of time: seconds of civil time on its display since 2000-01-01.
enum MeterClock {
  /// The scale's zero on the scale that starts 1970-01-01. Three of five public programs take one second less than
  /// 2000-01-01T00:00:00, which is 946684800; this driver follows them. The number is part of every identity: it never changes.
  static var epoch: Int64 { 946_684_799 }

  /// Seconds of civil time since 1970-01-01T00:00.
  static func civil(_ seconds: UInt32) -> Int64 { Int64(seconds) + epoch }

  /// The meter's number for a civil time, nil outside 2000 to 2136.
  static func seconds(civil: Int64) -> UInt32? { UInt32(exactly: civil - epoch) }
}
