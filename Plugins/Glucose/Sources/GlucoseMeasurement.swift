import CMeterDriver
import MeterDriver

/// One Glucose Measurement (2A18) as the meter sent it (GATT Specification Supplement 3.107).
struct GlucoseMeasurement {
  let flags: UInt8
  let sequence: UInt16
  let baseTime: DateTime
  /// Minutes from base time to the time on the display.
  let timeOffset: Int16
  let concentration: UInt16
  let typeAndLocation: UInt8
  let status: UInt16

  init(_ bytes: RawSpan) throws(DecodeError) {
    var reader = ByteReader(bytes)
    flags = try reader.uint8()
    sequence = try reader.uint16()
    baseTime = try reader.dateTime()
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

  var hasConcentration: Bool { flags & 0x02 != 0 }
  var isMolePerLitre: Bool { flags & 0x04 != 0 }
  var hasStatus: Bool { flags & 0x08 != 0 }
  var contextFollows: Bool { flags & 0x10 != 0 }
  var sampleType: UInt8 { typeAndLocation & 0x0f }
  var sampleLocation: UInt8 { typeAndLocation >> 4 }
  var isControlSolution: Bool { sampleType == 10 || sampleLocation == 4 }

  /// The concentration, or nil when there is none, or it is NaN, infinite, or below zero as the filler 0xFFFF is.
  var reading: Decimal? {
    guard hasConcentration, let number = MedicalFloat(sfloat: concentration).decimal, number.mantissa >= 0 else {
      return nil
    }
    return number
  }

  /// The user-facing time, base time plus offset; nil when the clock is not set or the offset is one of the profile's
  /// overrun marks 0x7FFF and 0x8000 (Glucose Service 3.1.1.4).
  var userFacingTime: Int64? {
    guard timeOffset != .max, timeOffset != .min, let base = baseTime.civilMicroseconds else { return nil }
    return base &+ Int64(timeOffset) &* 60_000_000
  }

  /// Bits 1 to 4 (sensor, sample, strip) and 7 to 10 (temperature, strip pulled, device fault) make the meter doubt its
  /// value; bits 5 and 6 say that the value is outside what it can show (Glucose Service 3.1.1.7).
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
