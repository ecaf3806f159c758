import CivilCalendar
public import Foundation
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
    let parts = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
    guard let days = Self.days(parts[0]) else { return nil }
    guard parts.count == 2 else {
      self.init(civilSeconds: days * 86_400, zone)
      return
    }
    let clockEnd = parts[1].firstIndex { "Z+-".contains($0) } ?? parts[1].endIndex
    guard let time = Self.seconds(parts[1][..<clockEnd]) else { return nil }
    let civil = days * 86_400 + time
    guard clockEnd < parts[1].endIndex else {
      self.init(civilSeconds: civil, zone)
      return
    }
    guard let offset = Self.offset(parts[1][clockEnd...]) else { return nil }
    // Z names the moment and no place.
    self.init(
      microseconds: (civil - offset) * 1_000_000, zone, written: parts[1][clockEnd...] == "Z" ? nil : Int(offset))
  }

  /// This moment.
  public static var now: MomentText {
    MomentText(microseconds: Int64((Date.now.timeIntervalSince1970 * 1_000_000).rounded()), .current)
  }

  private init(civilSeconds: Int64, _ zone: TimeZone) {
    let civil = civilSeconds * 1_000_000
    let offset = Int(CivilTime(zone: zone).utcOffsetSeconds(atCivil: civil))
    self.init(microseconds: civil - Int64(offset) * 1_000_000, zone, written: offset)
  }

  private init(microseconds: Int64, _ zone: TimeZone, written: Int? = nil) {
    self.microseconds = microseconds
    utcOffsetSeconds = written ?? Int(CivilTime(zone: zone).offset(atUTC: microseconds))
  }

  /// The moment in UTC, in RFC 3339.
  public var text: String { CivilTimestamp(microseconds: microseconds).text + "Z" }

  private static func days(_ text: Substring) -> Int64? {
    let parts = numbers(text, separator: "-", widths: [4, 2, 2])
    guard let parts, parts.count == 3, (1...9999).contains(parts[0]) else { return nil }
    return CivilDate(year: parts[0], month: parts[1], day: parts[2])?.daysSince1970
  }

  /// `08:00` or `08:00:30`.
  private static func seconds(_ text: Substring) -> Int64? {
    guard let parts = numbers(text, separator: ":", widths: [2, 2, 2]), parts.count >= 2, parts[0] < 24,
      parts.dropFirst().allSatisfy({ $0 < 60 })
    else { return nil }
    return parts[0] * 3600 + parts[1] * 60 + (parts.count == 3 ? parts[2] : 0)
  }

  /// `Z`, `+02:00`, `-03:30`: seconds ahead of UTC.
  private static func offset(_ text: Substring) -> Int64? {
    if text == "Z" { return 0 }
    guard let parts = numbers(text.dropFirst(), separator: ":", widths: [2, 2]), parts.count == 2, parts[0] <= 18,
      parts[1] < 60
    else { return nil }
    return (parts[0] * 3600 + parts[1] * 60) * (text.first == "-" ? -1 : 1)
  }

  private static func numbers(_ text: Substring, separator: Character, widths: [Int]) -> [Int64]? {
    let parts = text.split(separator: separator, omittingEmptySubsequences: false)
    guard parts.count <= widths.count else { return nil }
    var result: [Int64] = []
    for (part, width) in zip(parts, widths) {
      guard part.utf8.count == width, part.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(part)
      else { return nil }
      result.append(number)
    }
    return result
  }
}
