import CMeterDriver
import MeterDriver

/// One Glucose Measurement (2A18) as the meter sent it (GATT Specification Supplement 3.107).
struct GlucoseMeasurement {
  let flags: UInt8
  /// Sequence and base time down to the minute, eight bytes as they were sent: also the first part of the identity.
  let sequenceAndTime: UInt64
  let second: UInt8
  /// Minutes from base time to the time on the display.
  let timeOffset: Int16
  let concentration: UInt16
  let typeAndLocation: UInt8
  let status: UInt16

  @inline(__always)
  init(_ bytes: RawSpan) throws(DecodeError) {
    var reader = ByteReader(bytes)
    flags = try reader.uint8()
    sequenceAndTime = try reader.uint64()
    second = try reader.uint8()
    timeOffset = flags & 0x01 != 0 ? try reader.int16() : 0
    if flags & 0x02 != 0 {
      concentration = try reader.uint16()
      typeAndLocation = try reader.uint8()
    } else {
      concentration = 0
      typeAndLocation = 0
    }
    status = flags & 0x08 != 0 ? try reader.uint16() : 0
  }

  var sequence: UInt16 { UInt16(truncatingIfNeeded: sequenceAndTime) }

  @inline(__always)
  var baseTime: DateTime {
    DateTime(
      year: UInt16(truncatingIfNeeded: sequenceAndTime >> 16), month: UInt8(truncatingIfNeeded: sequenceAndTime >> 32),
      day: UInt8(truncatingIfNeeded: sequenceAndTime >> 40), hour: UInt8(truncatingIfNeeded: sequenceAndTime >> 48),
      minute: UInt8(truncatingIfNeeded: sequenceAndTime >> 56), second: second)
  }

  var hasConcentration: Bool { flags & 0x02 != 0 }
  var isMolePerLitre: Bool { flags & 0x04 != 0 }
  var hasStatus: Bool { flags & 0x08 != 0 }
  var contextFollows: Bool { flags & 0x10 != 0 }
  var sampleType: UInt8 { typeAndLocation & 0x0f }
  var sampleLocation: UInt8 { typeAndLocation >> 4 }
  var isControlSolution: Bool { sampleType == 10 || sampleLocation == 4 }

  /// The concentration, or nil when there is none, or it is NaN, infinite, or below zero as the filler 0xFFFF is.
  @inline(__always)
  var reading: Decimal? {
    guard hasConcentration, let number = MedicalFloat(sfloat: concentration).decimal, number.mantissa >= 0 else {
      return nil
    }
    return number
  }

  /// The user-facing time, base time plus offset; nil when the clock is not set, the offset is one of the profile's
  /// overrun marks 0x7FFF and 0x8000 (Glucose Service 3.1.1.4), or the sum lies beyond the years of Date Time.
  @inline(__always)
  var userFacingTime: Int64? {
    guard timeOffset != .max, timeOffset != .min, let base = baseTime.civilMicroseconds else { return nil }
    let time = base &+ Int64(timeOffset) &* 60_000_000
    return time >= Self.earliestTime && time <= Self.latestTime ? time : nil
  }

  /// 1582-01-01 and the last microsecond of 9999 (GATT Specification Supplement 3.70), which is what a record may hold.
  private static var earliestTime: Int64 { -12_244_089_600_000_000 }
  private static var latestTime: Int64 { 253_402_300_799_999_999 }

  /// Bits 1 to 4 (sensor, sample, strip) and 7 to 10 (temperature, strip pulled, device fault) make the meter doubt its
  /// value; bits 5 and 6 say that the value is outside what it can show (Glucose Service 3.1.1.7).
  @inline(__always)
  var qualifier: Qualifier {
    if status & 0b0000_0111_1001_1110 != 0 { return .questionable }
    switch status & 0b0110_0000 {
    case 0: return .exact
    case 0b0010_0000: return .above
    case 0b0100_0000: return .below
    default: return .questionable
    }
  }

  /// Bit 11: the meter's time is not to be trusted.
  var hasTimeFault: Bool { status & 0x0800 != 0 }
}
