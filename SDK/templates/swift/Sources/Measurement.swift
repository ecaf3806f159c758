import CMeterDriver
import MeterDriver

/// One reading as the meter sends it: a Glucose Measurement (2A18; GATT Specification Supplement 3.107).
struct Measurement {
  let flags: UInt8
  let sequence: UInt16
  let baseTime: DateTime
  /// Minutes from base time to the time on the display.
  let offset: Int16
  let concentration: UInt16
  let typeAndLocation: UInt8
  let status: UInt16

  /// - Throws: ``DecodeError`` when the bytes are fewer than their own flags say; bytes behind the known fields are
  ///   ignored.
  init(_ bytes: RawSpan) throws(DecodeError) {
    var reader = ByteReader(bytes)
    flags = try reader.uint8()
    sequence = try reader.uint16()
    baseTime = try reader.dateTime()
    offset = flags & 0x01 != 0 ? try reader.int16() : 0
    let hasConcentration = flags & 0x02 != 0
    concentration = hasConcentration ? try reader.uint16() : 0
    typeAndLocation = hasConcentration ? try reader.uint8() : 0
    status = flags & 0x08 != 0 ? try reader.uint16() : 0
  }

  private var isMolePerLitre: Bool { flags & 0x04 != 0 }
  private var sampleType: UInt8 { typeAndLocation & 0x0f }
  private var sampleLocation: UInt8 { typeAndLocation >> 4 }
  /// Sample type 10 and location 4 (Glucose Service 3.1.1.6).
  private var isControlSolution: Bool { sampleType == 10 || sampleLocation == 4 }

  /// Nil when there is none, or it is NaN, infinite, or below zero as some meters' filler is.
  private var reading: Decimal? {
    guard flags & 0x02 != 0, let number = MedicalFloat(sfloat: concentration).decimal, number.mantissa >= 0 else {
      return nil
    }
    return number
  }

  /// The time on the display; nil when the clock is not set or the offset is one of the profile's marks for "does not
  /// fit" (Glucose Service 3.1.1.4).
  private var displayTime: Int64? {
    guard offset != .max, offset != .min, let base = baseTime.civilMicroseconds else { return nil }
    let time = base &+ Int64(offset) &* 60_000_000
    // The years that Date Time can hold: 1582 to 9999.
    return time >= -12_244_089_600_000_000 && time <= 253_402_300_799_999_999 ? time : nil
  }

  /// The sensor status (Glucose Service 3.1.1.7): faults make the meter doubt its value, bits 5 and 6 say that it is
  /// outside what the meter can show.
  private var qualifier: Qualifier {
    if status & 0x079e != 0 { return .questionable }
    switch status & 0x0060 {
    case 0: return .exact
    case 0x0020: return .above
    case 0x0040: return .below
    default: return .questionable
    }
  }

  /// Appends the record.
  ///
  /// - Throws: ``DecodeError/noValue`` when the meter says that it could not measure.
  func emit(_ output: inout RecordOutput) throws(DecodeError) {
    // kg/L and mol/L become mg/dL and mmol/L by a power of ten: the meter's digits stay as they are.
    guard let number = reading?.scaled(byPowerOfTen: isMolePerLitre ? 3 : 5) else { throw .noValue }
    output.begin()
    output.add(
      Metric(isControlSolution ? MH_METRIC_CONTROL_SOLUTION_GLUCOSE : MH_METRIC_BLOOD_GLUCOSE),
      Unit(isMolePerLitre ? MH_UNIT_MMOL_PER_L : MH_UNIT_MG_PER_DL), number, qualifier)
    output.add(Metric(MH_METRIC_SAMPLE_TYPE), code: Int64(sampleType))
    output.add(Metric(MH_METRIC_SAMPLE_LOCATION), code: Int64(sampleLocation))
    let identity = Identity(self)
    output.identify(identity.low)
    output.identify(identity.high)
    var recordFlags: RecordFlags = isControlSolution ? .control : []
    let time = displayTime
    if time == nil || status & 0x0800 != 0 { recordFlags.insert(.clockSuspect) }
    output.end(
      .measurement, .stored, time: time.map { RecordTime.civil($0) } ?? .none, sequence: UInt64(sequence),
      flags: recordFlags)
  }
}

/// What makes two packets the same reading: sequence, uncorrected time, raw concentration, unit. The meter sends these
/// twelve bytes alike on every read, and nothing else belongs here.
struct Identity: Equatable {
  /// Sequence, year, month, day, hour, minute.
  let low: UInt64
  /// Second, concentration, unit.
  let high: UInt32

  init(low: UInt64, high: UInt32) {
    self.low = low
    self.high = high
  }

  init(_ reading: Measurement) {
    let time = reading.baseTime
    low =
      UInt64(reading.sequence) | UInt64(time.year) << 16 | UInt64(time.month) << 32 | UInt64(time.day) << 40
      | UInt64(time.hour) << 48 | UInt64(time.minute) << 56
    high =
      UInt32(time.second) | UInt32(reading.concentration) << 8 | (reading.flags & 0x04 != 0 ? 1 << 24 : 0)
  }

  var sequence: UInt16 { UInt16(truncatingIfNeeded: low) }
}
