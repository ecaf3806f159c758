import HostPrimitives
public import MeterCore

extension RecordTime {
  /// The start as a person reads it: local time with its offset, `2026-07-01T08:00:00+02:00`, or UTC where none is
  /// known.
  public var localText: String {
    guard let offset = utcOffsetSeconds, offset % 60 == 0 else {
      return CivilMoment(microseconds: startMicroseconds).text(.millionths) + "Z"
    }
    // A record of the years 1 to 9999 has room for a day's offset.
    return CivilMoment(microseconds: startMicroseconds &+ Int64(offset) * 1_000_000).text(.millionths)
      + CivilMoment.offset(offset)
  }
}
