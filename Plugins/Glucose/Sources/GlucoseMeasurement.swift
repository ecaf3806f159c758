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

  /// What the meter measured.
  enum Reading {
    /// Nothing: no concentration, NaN, or one below zero as the filler 0xFFFF is.
    case none
    /// A concentration in the unit of the field, kg/L or mol/L.
    case number(Decimal)
    /// "HI" or "LO": infinity, or a status that says so in place of a number.
    case beyond(Qualifier)
  }

  @inline(__always)
  var reading: Reading {
    guard hasConcentration else { return .none }
    switch MedicalFloat(sfloat: concentration) {
    case .number(let number): return number.mantissa >= 0 ? .number(number) : .none
    case .positiveInfinity: return doubtsOrDenies(.below) ? .none : .beyond(.above)
    case .negativeInfinity: return doubtsOrDenies(.above) ? .none : .beyond(.below)
    case .notANumber, .notAtThisResolution:
      return qualifier == .above || qualifier == .below ? .beyond(qualifier) : .none
    case .reserved: return .none
    }
  }

  /// A number below 20 mg/dL, which meters show as "LO".
  var isBelowGlucose: Bool {
    guard case .number(let number) = reading, !isMolePerLitre, let milligrams = number.scaled(byPowerOfTen: 5) else {
      return false
    }
    return milligrams.doubleValue < 20
  }

  /// A number that ketone can be: up to 8.0 mmol/L, where its meters end, which is 240 in thirtieths.
  var mayBeKetone: Bool {
    guard !isControlSolution, case .number(let number) = reading,
      let size = number.scaled(byPowerOfTen: isMolePerLitre ? 3 : 5)
    else { return false }
    return isMolePerLitre ? size.doubleValue < 8.05 : size.doubleValue < 241
  }

  var hasReading: Bool { if case .none = reading { false } else { true } }

  private func doubtsOrDenies(_ other: Qualifier) -> Bool { qualifier == .questionable || qualifier == other }

  /// Multi-meters of one family fill the number behind a reading with an empty record of the same time. They send glucose and ketone
  /// alike: flags, type, location and offset are the same, and only the value differs.
  func isFiller(after other: GlucoseMeasurement) -> Bool {
    isFiller && sequence == other.sequence &+ 1 && sequenceAndTime >> 16 == other.sequenceAndTime >> 16
      && second == other.second
  }

  var isFiller: Bool { hasConcentration && concentration == 0xffff }

  /// How that family sends what it measures, of whatever analyte: kg/L, finger, capillary whole blood, no status, no context.
  var mayBeUnmarked: Bool { flags == 0x03 && typeAndLocation == 0x11 && timeOffset == 0 }

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
