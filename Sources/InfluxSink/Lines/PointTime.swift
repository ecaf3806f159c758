import Crypto
import Foundation
import MeterCore

/// What keeps two readings apart in a series database, where a point with the same measurement, tags and time takes the place of another.
package enum PointIdentity: String, Sendable, Hashable, Codable, CaseIterable {
  /// A tag with the reading's name: nothing ever takes the place of another reading. Each reading is a series.
  case tag
  /// The part of the time that the meter did not give: nanoseconds, or all behind a whole second, come from the reading's name.
  case time
}

/// Moments as a series database has them.
enum PointTime {
  /// What InfluxDB has room for, with a second left at both ends.
  private static let range = (Int64.min / 1000 + 1_000_002)...(Int64.max / 1000 - 1_000_002)

  /// Nanoseconds since 1970-01-01T00:00Z; nil for a moment for which the database has no room (before 1677 and after 2262).
  static func nanoseconds(_ microseconds: Int64, of logID: LogID, _ identity: PointIdentity) -> Int64? {
    guard range.contains(microseconds) else { return nil }
    let nanoseconds = microseconds * 1000
    guard identity == .time else { return nanoseconds }
    let room: UInt64 = microseconds % 1_000_000 == 0 ? 1_000_000_000 : 1_000
    return nanoseconds + Int64(number(of: logID) % room)
  }

  /// A number that is the same for a reading each time.
  private static func number(of logID: LogID) -> UInt64 {
    SHA256.hash(data: Array(logID.description.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
