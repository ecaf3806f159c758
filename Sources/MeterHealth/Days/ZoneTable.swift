package import Foundation
package import HostPrimitives

/// In which zone the user was on which day.
package struct ZoneTable: Sendable {
  /// A zone from a local day on, until the next one begins.
  package struct Entry: Sendable, Hashable {
    package let zone: TimeZone
    /// The first day, nil for all days before the next entry's.
    package let from: CivilDate?

    package init(_ zone: TimeZone, from: CivilDate? = nil) {
      self.zone = zone
      self.from = from
    }
  }

  private let entries: [Entry]

  /// One zone for all days.
  package init(_ zone: TimeZone) { entries = [Entry(zone)] }

  /// A zone for the days that no entry has, and entries in any order. Of several from one day on the last one counts.
  package init(_ zone: TimeZone, entries: [Entry]) {
    let dated = entries.enumerated().filter { $0.element.from != nil }.sorted {
      let (one, two) = ($0.element.from?.daysSince1970 ?? .min, $1.element.from?.daysSince1970 ?? .min)
      return one != two ? one < two : $0.offset < $1.offset
    }
    let undated = entries.last { $0.from == nil }
    self.entries = [undated ?? Entry(zone)] + dated.map(\.element)
  }

  /// The zone of a local day.
  package func zone(onDay day: Int64) -> TimeZone {
    (entries.last { ($0.from?.daysSince1970 ?? .min) <= day } ?? entries[0]).zone
  }

  /// The first moment of a local day, microseconds since 1970-01-01T00:00Z.
  ///
  /// Where the clocks are put forward at midnight the day begins at that moment; where midnight comes twice, with the first one.
  func start(ofDay day: Int64) -> Int64 { Self.start(ofDay: day, in: zone(onDay: day)) }

  private static func start(ofDay day: Int64, in zone: TimeZone) -> Int64 {
    let civil = day * 86_400
    let before = offset(of: zone, at: civil - 86_400)
    let near = [before, offset(of: zone, at: civil + 86_400)]
    // The larger offset is the earlier moment. Of a midnight that no clock has shown: as if it had not been put forward.
    let shown = near.filter { offset(of: zone, at: civil - Int64($0)) == $0 }.max()
    return (civil - Int64(shown ?? before)) * 1_000_000
  }

  static func offset(of zone: TimeZone, at seconds: Int64) -> Int {
    zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
  }
}
