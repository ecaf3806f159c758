public import Foundation
import HostPrimitives

/// Times of records that come from no driver. Each states the source of its offset.
extension RecordTime {
  /// 0001-01-01T00:00Z and 9999-12-31T23:59:59Z: RFC 3339 writes nothing else.
  static let writable: ClosedRange<Int64> = -62_135_596_800_000_000...253_402_300_799_000_000
  /// 1900-01-01T00:00Z and the same end: nobody alive has measured before, and receivers refuse it for good.
  static let deliverable: ClosedRange<Int64> = -2_208_988_800_000_000...writable.upperBound

  /// A time with room for any offset. What lies outside stays outside: ``RecordDraft`` refuses it.
  private static func bounded(_ microseconds: Int64) -> Int64 {
    let room: Int64 = 10 * 86_400_000_000
    return min(max(microseconds, writable.lowerBound - room), writable.upperBound + room)
  }

  /// Moments in UTC; the offset is what the zone's rules say at the start.
  ///
  /// - Parameters:
  ///   - start: Microseconds since 1970-01-01T00:00Z.
  ///   - end: Nil for a single moment.
  ///   - zone: The zone in which the person was.
  ///   - source: Who says so.
  public static func utc(_ start: Int64, to end: Int64? = nil, zone: TimeZone, source: ZoneSource) -> RecordTime {
    RecordTime(
      startMicroseconds: start, endMicroseconds: end ?? start, civilMicroseconds: nil,
      utcOffsetSeconds: CivilTime(zone: zone).offset(atUTC: bounded(start)), zoneSource: source, kind: .utc)
  }

  /// Local times by a zone's rules, each by the rule of its own moment: a night across a change of the clocks has the
  /// length that it had, and the offset of its start.
  ///
  /// A time that exists twice is the first of the two; one that does not exist is read as if the clock had not been put
  /// forward (``CivilTime``). What a person writes is asked about instead: ``written(_:to:zone:source:)``.
  ///
  /// - Parameters:
  ///   - start: Microseconds since 1970-01-01T00:00 on the clock.
  ///   - end: Nil for a single moment.
  public static func local(_ start: Int64, to end: Int64? = nil, zone: TimeZone, source: ZoneSource) -> RecordTime {
    let civil = CivilTime(zone: zone)
    let last = bounded(end ?? start)
    let start = bounded(start)
    let offset = civil.utcOffsetSeconds(atCivil: start)
    return RecordTime(
      startMicroseconds: start - Int64(offset) * 1_000_000,
      endMicroseconds: last - Int64(civil.utcOffsetSeconds(atCivil: last)) * 1_000_000, civilMicroseconds: start,
      utcOffsetSeconds: offset, zoneSource: source, kind: .civil)
  }

  /// Local times with the offset that was written beside them.
  public static func local(
    _ start: Int64, to end: Int64? = nil, offsetSeconds: Int, source: ZoneSource
  ) -> RecordTime {
    // Offsets of more than a day are refused by the draft; they only must not overflow here.
    let shift = Int64(min(max(offsetSeconds, -86_400), 86_400)) * 1_000_000
    let last = bounded(end ?? start)
    let start = bounded(start)
    return RecordTime(
      startMicroseconds: start - shift, endMicroseconds: last - shift, civilMicroseconds: start,
      utcOffsetSeconds: offsetSeconds, zoneSource: source, kind: .civilWithOffset)
  }

  /// A local day from its first second to its last: 23, 24 or 25 hours.
  ///
  /// - Parameter day: `YYYY-MM-DD`.
  /// - Throws: ``DraftError`` with ``DraftError/Code/badTime`` for a day that the calendar or the zone does not have, such
  ///   as 2011-12-30 in Samoa.
  package static func day(_ day: String, zone: TimeZone, source: ZoneSource) throws(DraftError) -> RecordTime {
    guard let date = CivilDate(text: day.utf8), date.year > 0 else {
      throw DraftError(.badTime, "time", "the calendar has no such day", allowed: ["YYYY-MM-DD"])
    }
    let first = local(date.daysSince1970 * 86_400_000_000, zone: zone, source: source)
    let next = local((date.daysSince1970 + 1) * 86_400_000_000, zone: zone, source: source)
    let last = next.startMicroseconds - 1_000_000
    guard first.startMicroseconds <= last else {
      throw DraftError(.badTime, "time", "the zone \(zone.identifier) has no such day")
    }
    return RecordTime(
      startMicroseconds: first.startMicroseconds, endMicroseconds: last, civilMicroseconds: first.civilMicroseconds,
      utcOffsetSeconds: CivilTime(zone: zone).offset(atUTC: first.startMicroseconds), zoneSource: source, kind: .civil)
  }

  /// The time that a text says, of the forms of RFC 3339, and without an offset, as it is on a clock in `zone`.
  ///
  /// An offset written by hand is its writer's: `source` is stated for it as it is for the zone.
  ///
  /// - Throws: ``DraftError``; with code `skipped_time` or `repeated_time` for a time without an offset that the zone's clocks
  ///   have not shown, or have shown twice. A meter's clock cannot be asked which of the two it meant; whoever writes can.
  package static func written(
    _ start: String, to end: String? = nil, zone: TimeZone, source: ZoneSource
  ) throws(DraftError) -> RecordTime {
    let first = try moment(start, zone, source)
    guard let end else { return first }
    let last = try moment(end, zone, source)
    try RecordDraft.checkInterval(first.startMicroseconds, last.startMicroseconds, "time")
    return RecordTime(
      startMicroseconds: first.startMicroseconds, endMicroseconds: last.startMicroseconds,
      civilMicroseconds: first.civilMicroseconds, utcOffsetSeconds: first.utcOffsetSeconds,
      zoneSource: first.zoneSource, kind: first.kind)
  }

  private static func moment(
    _ text: String, _ zone: TimeZone, _ source: ZoneSource
  ) throws(DraftError) -> RecordTime {
    guard let time = WrittenTime.ofPerson(text) else {
      throw DraftError(
        .badTime, "time", "no date and time",
        allowed: ["2026-03-29T07:00:00Z", "2026-03-29T09:00:00+02:00", "2026-03-29T09:00:00"])
    }
    let moment: RecordTime
    switch time.offset {
    case .utc: moment = utc(time.civilMicroseconds, zone: zone, source: source)
    case .seconds(let seconds): moment = local(time.civilMicroseconds, offsetSeconds: seconds, source: source)
    case nil:
      try checkClock(time, text, zone)
      moment = local(time.civilMicroseconds, zone: zone, source: source)
    }
    try RecordDraft.checkInterval(moment.startMicroseconds, moment.endMicroseconds, "time")
    return moment
  }

  /// Checks that the zone's clocks have shown a time once.
  private static func checkClock(_ time: WrittenTime, _ text: String, _ zone: TimeZone) throws(DraftError) {
    let civil = CivilTime(zone: zone)
    let offsets = civil.offsets(atCivil: bounded(time.civilMicroseconds))
    func with(_ offset: Int) -> String { "\(text.replacing(" ", with: "T"))\(CivilMoment.offset(offset))" }
    switch offsets.count {
    case 1: return
    case 0:
      let before = civil.utcOffsetSeconds(atCivil: bounded(time.civilMicroseconds))
      throw DraftError(
        .skippedTime, "time",
        "\(text) was on no clock of \(zone.identifier), where the clocks were put forward over it; write the time with its "
          + "offset, such as \(with(before))")
    default:
      throw DraftError(
        .repeatedTime, "time",
        "\(text) came twice on the clocks of \(zone.identifier), which were put back; write which one is meant: "
          + offsets.map(with).joined(separator: " or "))
    }
  }
}

extension WrittenTime {
  /// A time of our era, to the microsecond at most.
  static func ofPerson(_ text: String) -> WrittenTime? {
    WrittenTime(text).flatMap { $0.date.year > 0 && $0.fractionDigits <= 6 ? $0 : nil }
  }
}
