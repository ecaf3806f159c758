import DriverContract
internal import Foundation

/// When a reported record was taken, and what is wrong with that.
struct RecordTiming {
  let time: RecordTime
  let problem: HoldReason?
  /// Whether the time of arrival is all there is, and the host does not know the date: whatever else the reading is held
  /// for, it has no time yet.
  let isUnknown: Bool

  /// UTC offsets in use go from -12 to +14 hours.
  private static let offsets: ClosedRange<Int32> = -18 * 3600...18 * 3600

  init(
    _ reported: DriverRecord, clock: HostClockReading, zone: TimeZone, source: RecordTime.ZoneSource
  ) throws(AdmissionRejection) {
    time = try Self.time(reported, clock, CivilTime(zone: zone), source)
    problem = Self.problem(reported, time, clock)
    isUnknown = time.kind == .none && reported.identityClass != .stored && !clock.knowsDate
  }

  private static func time(
    _ reported: DriverRecord, _ clock: HostClockReading, _ civil: CivilTime, _ source: RecordTime.ZoneSource
  ) throws(AdmissionRejection) -> RecordTime {
    // A day of room on both sides for the offset.
    let room: Int64 = 86_400_000_000
    let allowed = (RecordTime.writable.lowerBound + room)...(RecordTime.writable.upperBound - room)
    guard reported.timeKind != .none else {
      // What a clock shows that does not know the date is held, and has to be written all the same.
      let arrival = min(max(clock.utcMicroseconds, allowed.lowerBound), allowed.upperBound)
      return RecordTime(
        startMicroseconds: arrival, endMicroseconds: arrival, civilMicroseconds: nil,
        utcOffsetSeconds: civil.offset(atUTC: arrival), zoneSource: source, kind: .none)
    }
    let start = reported.startMicroseconds
    let end = reported.endMicroseconds
    guard allowed.contains(start), allowed.contains(end), start <= end else {
      throw AdmissionRejection(
        code: .impossibleTime, message: "start \(start) and end \(end) are no interval of the years 1 to 9999")
    }
    if reported.timeKind == .utc {
      return RecordTime(
        startMicroseconds: start, endMicroseconds: end, civilMicroseconds: nil,
        utcOffsetSeconds: civil.offset(atUTC: start), zoneSource: source, kind: .utc)
    }
    let own = try reported.timeKind == .civilWithOffset ? offset(reported) : nil
    let offset = own ?? civil.utcOffsetSeconds(atCivil: start)
    let shift = Int64(offset) * 1_000_000
    return RecordTime(
      startMicroseconds: start - shift, endMicroseconds: end - shift, civilMicroseconds: start,
      utcOffsetSeconds: offset, zoneSource: own == nil ? source : .meter,
      kind: own == nil ? .civil : .civilWithOffset)
  }

  private static func offset(_ reported: DriverRecord) throws(AdmissionRejection) -> Int {
    guard let offset = reported.utcOffsetSeconds, offsets.contains(offset) else {
      throw AdmissionRejection(
        code: .impossibleTime, message: "a civil time with offset has no offset between -18 and +18 hours")
    }
    return Int(offset)
  }

  private static func problem(_ reported: DriverRecord, _ time: RecordTime, _ clock: HostClockReading) -> HoldReason? {
    if time.kind == .none {
      // What comes out of a memory may be days old: the time of arrival is not its time.
      // Nor need it be that of a reading whose meter says that its own clock is not set, which no date of this host mends.
      guard reported.identityClass != .stored, !reported.flags.contains(.clockSuspect) else { return .clockSuspect }
      return clock.knowsDate ? nil : .hostClockUnsynchronized
    }
    if clock.knowsDate, time.endMicroseconds > clock.utcMicroseconds + RecordAdmission.futureTolerance {
      return .clockInFuture
    }
    let shown = time.civilMicroseconds ?? time.startMicroseconds
    return reported.flags.contains(.clockSuspect) || shown < RecordAdmission.earliestBelievable ? .clockSuspect : nil
  }
}
