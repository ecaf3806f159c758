public import Foundation
import HostPrimitives
import MeterCore

/// A moment as a person writes it on the command line: `2026-03-01`, `2026-03-01T08:00`, `2026-03-01T08:00:30Z`,
/// `2026-03-01T08:00+02:00`, `now`. A day is its midnight; without a zone it is the gateway's time, daylight saving included.
public struct MomentText: Sendable, Hashable {
  /// Microseconds since 1970-01-01T00:00Z.
  public let microseconds: Int64

  /// How far local time is ahead of UTC then: as it was written, or in the zone.
  public let utcOffsetSeconds: Int

  /// Parses a moment; nil for what is none, and for days and times that the calendar does not have.
  public init?(_ text: String, zone: TimeZone = .current) {
    guard text != "now" else {
      self.init(microseconds: Self.now.microseconds, zone)
      return
    }
    if let day = CivilDate(text: text.utf8), day.year > 0 {
      self.init(civilMicroseconds: day.daysSince1970 * 86_400_000_000, zone)
      return
    }
    guard let time = WrittenTime(text), !time.hasBlank, time.fractionDigits == 0, time.date.year > 0 else { return nil }
    switch time.offset {
    case nil: self.init(civilMicroseconds: time.civilMicroseconds, zone)
    // Z names the moment and no place.
    case .utc: self.init(microseconds: time.civilMicroseconds, zone)
    case .seconds(let offset):
      self.init(microseconds: time.civilMicroseconds - Int64(offset) * 1_000_000, zone, written: offset)
    }
  }

  /// This moment.
  public static var now: MomentText {
    MomentText(microseconds: Int64((Date.now.timeIntervalSince1970 * 1_000_000).rounded()), .current)
  }

  private init(civilMicroseconds civil: Int64, _ zone: TimeZone) {
    let offset = Int(CivilTime(zone: zone).utcOffsetSeconds(atCivil: civil))
    self.init(microseconds: civil - Int64(offset) * 1_000_000, zone, written: offset)
  }

  private init(microseconds: Int64, _ zone: TimeZone, written: Int? = nil) {
    self.microseconds = microseconds
    utcOffsetSeconds = written ?? Int(CivilTime(zone: zone).offset(atUTC: microseconds))
  }

  /// The moment in UTC, in RFC 3339.
  public var text: String { CivilMoment(microseconds: microseconds).text(.millionths) + "Z" }
}
