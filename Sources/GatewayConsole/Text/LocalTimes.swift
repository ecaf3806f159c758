import Foundation
import HostPrimitives

/// Times as people of the gateway read them: in its zone, to the minute or second.
struct LocalTimes: Sendable, Hashable {
  let zone: TimeZone
  /// Now, in microseconds since 1970-01-01T00:00Z.
  let now: Int64

  init(zone: TimeZone, now: Int64) { (self.zone, self.now) = (zone, now) }

  /// What pages say of the zone: its name and what it is ahead of UTC now.
  var zoneText: String {
    "\(zone.identifier) (UTC\(CivilMoment.offset(offset(at: now))))"
  }

  /// `2026-07-01 08:00:05`; a text that is no RFC 3339 time stays as it is.
  func text(_ written: String) -> String {
    guard let time = WrittenTime(written)?.utcMicroseconds else { return written }
    return text(microseconds: time)
  }

  /// The same of a moment that may be missing.
  func text(_ written: String?, else none: String) -> String { written.map { text($0) } ?? none }

  /// `2026-07-01 08:00:05`.
  func text(microseconds: Int64) -> String {
    let (civil, isBeyond) = microseconds.addingReportingOverflow(Int64(offset(at: microseconds)) * 1_000_000)
    guard !isBeyond else { return CivilMoment.utcSeconds(microseconds: microseconds) }
    return CivilMoment(microseconds: civil).text(.none).replacing("T", with: " ")
  }

  /// `5 minutes ago`, to the unit that matters; nil for what is no time.
  func age(_ written: String) -> String? {
    guard let time = WrittenTime(written)?.utcMicroseconds else { return nil }
    let seconds = (now &- time) / 1_000_000
    guard seconds >= 0 else { return "ahead of the gateway's clock" }
    for (length, unit) in [(86_400, "day"), (3600, "hour"), (60, "minute")] where seconds >= Int64(length) {
      let count = seconds / Int64(length)
      return "\(count) \(unit)\(count == 1 ? "" : "s") ago"
    }
    return "just now"
  }

  private func offset(at microseconds: Int64) -> Int {
    zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(microseconds) / 1_000_000))
  }
}
