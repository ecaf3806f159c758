public import Foundation
import HostPrimitives

/// A moment as a person writes it: `2026-03-01`, `2026-03-01T08:00`, `2026-03-01T08:00:30Z`, `2026-03-01T08:00+02:00`,
/// `now`. A day is its midnight.
///
/// A text without an offset is what a clock on the wall shows, and whose wall that is, only the owner of the state folder
/// knows: the session's user may have another zone than the gateway. So the text travels as it is written, and is read once,
/// with that zone, by the same rule as the times of a record document:
///
/// ```swift
/// let time = try MomentText("2026-07-01T08:00")?.time(in: berlin, source: .user)
/// // 06:00Z, two hours ahead of UTC
/// ```
public struct MomentText: Sendable, Hashable, Codable {
  /// The text; of `now` the moment at which it was read, in UTC.
  public let text: String

  /// Parses a moment; nil for what is none, and for days and times that the calendar does not have.
  public init?(_ text: String) {
    self.text = text == "now" ? Self.now.text : text
    guard WrittenTime.ofPerson(timeText) != nil else { return nil }
  }

  private init(microseconds: Int64) { text = CivilMoment(microseconds: microseconds).text(.millionths) + "Z" }

  /// The moment of the call in UTC, to the microsecond.
  public static var now: MomentText { MomentText(microseconds: SystemClock().unixMicroseconds) }

  /// Whether the text says nothing of how far its clock is ahead of UTC.
  package var needsZone: Bool { WrittenTime.ofPerson(timeText)?.offset == nil }

  /// The text with a time of day, as a record document has it.
  package var timeText: String { CivilDate(text: text.utf8) == nil ? text : "\(text)T00:00" }

  /// The moment, with the offset that was written, or else that of the zone's rules.
  ///
  /// - Parameters:
  ///   - zone: The zone of a text that names none.
  ///   - source: Whose zone that is.
  /// - Throws: ``DraftError`` with code `skipped_time` or `repeated_time` for a time that the zone's clocks have not shown, or
  ///   have shown twice.
  public func time(in zone: TimeZone, source: RecordTime.ZoneSource) throws(DraftError) -> RecordTime {
    try RecordTime.written(timeText, zone: zone, source: source)
  }

  /// Reads the text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let moment = MomentText(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "this is no moment")
    }
    self = moment
  }

  /// Writes the text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
