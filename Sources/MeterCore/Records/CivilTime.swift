package import Foundation

/// Turns the time on a meter's display into UTC by a zone's rules at that moment, daylight saving included.
package struct CivilTime: Sendable {
  package let zone: TimeZone

  /// A converter for a zone.
  package init(zone: TimeZone) { self.zone = zone }

  private static let day: Int64 = 86_400_000_000

  /// How far local time was ahead of UTC when a clock in the zone showed this time.
  ///
  /// A time that exists twice (the hour repeated in autumn) is taken as the first of the two; a time that does not exist
  /// (the hour skipped in spring) as if the clock had not been put forward.
  ///
  /// - Parameter civilMicroseconds: Microseconds since 1970-01-01T00:00 on the display.
  package func utcOffsetSeconds(atCivil civilMicroseconds: Int64) -> Int {
    offsets(atCivil: civilMicroseconds).first ?? offset(atUTC: civilMicroseconds - Self.day)
  }

  /// How far local time was ahead of UTC each time that a clock in the zone showed this time, the earlier moment first: one
  /// offset as a rule, two for a time that exists twice, none for one that does not exist.
  func offsets(atCivil civilMicroseconds: Int64) -> [Int] {
    let near = Set([offset(atUTC: civilMicroseconds - Self.day), offset(atUTC: civilMicroseconds + Self.day)])
    // The larger offset gives the earlier moment.
    return near.filter { offset(atUTC: civilMicroseconds - Int64($0) * 1_000_000) == $0 }.sorted(by: >)
  }

  /// How far local time is ahead of UTC at a moment.
  package func offset(atUTC microseconds: Int64) -> Int {
    zone.secondsFromGMT(for: Date(timeIntervalSince1970: (Double(microseconds) / 1_000_000).rounded(.down)))
  }
}
