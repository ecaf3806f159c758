/// The Bluetooth Date Time field (GATT Specification Supplement 3.70): civil time on the meter's display.
public struct DateTime: Equatable {
  /// The year, 0 when unknown.
  public let year: UInt16
  /// The month from 1, 0 when unknown.
  public let month: UInt8
  /// The day from 1, 0 when unknown.
  public let day: UInt8
  /// The hour.
  public let hour: UInt8
  /// The minute.
  public let minute: UInt8
  /// The second.
  public let second: UInt8

  /// Takes the fields as they were sent.
  @inlinable
  @inline(__always)
  public init(year: UInt16, month: UInt8, day: UInt8, hour: UInt8, minute: UInt8, second: UInt8) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  /// True when the meter's clock is set and the fields name a moment that exists.
  @inlinable
  @inline(__always)
  public var isSet: Bool {
    guard year >= 1582, year <= 9999, month >= 1, month <= 12, day >= 1, hour < 24, minute < 60, second < 60 else {
      return false
    }
    return day <= DateTime.daysInMonth(month, of: year)
  }

  /// Microseconds of civil time since 1970-01-01T00:00, or nil when the clock is not set.
  @inlinable
  @inline(__always)
  public var civilMicroseconds: Int64? {
    isSet ? civilSeconds &* 1_000_000 : nil
  }

  /// The moments that the field can name, microseconds of civil time since 1970-01-01T00:00: 1582 to 9999.
  public static var range: Range<Int64> { -12_244_089_600_000_000..<253_402_300_800_000_000 }

  /// Days from civil dates, counted in years that begin in March so that the leap day comes last (H. Hinnant,
  /// chrono-compatible date algorithms).
  @inlinable
  @inline(__always)
  var civilSeconds: Int64 {
    let marchYear = UInt32(year) &- (month <= 2 ? 1 : 0)
    let era = marchYear / 400
    let yearOfEra = marchYear &- era &* 400
    let marchMonth = (UInt32(month) &+ 9) % 12
    let dayOfYear = (153 &* marchMonth &+ 2) / 5 &+ UInt32(day) &- 1
    let dayOfEra = yearOfEra &* 365 &+ yearOfEra / 4 &- yearOfEra / 100 &+ dayOfYear
    let days = Int64(era &* 146_097 &+ dayOfEra) &- 719_468
    return days &* 86_400 &+ Int64(hour) &* 3_600 &+ Int64(minute) &* 60 &+ Int64(second)
  }

  @inlinable
  @inline(__always)
  static func daysInMonth(_ month: UInt8, of year: UInt16) -> UInt8 {
    if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
    // April, June, September and November.
    return (0b0000_1010_0101_0000 >> UInt16(month)) & 1 == 1 ? 30 : 31
  }
}
