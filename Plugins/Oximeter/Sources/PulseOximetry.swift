import CMeterDriver
import MeterDriver

/// One value of the Pulse Oximeter Service: a spot-check (2A5E) or a continuous measurement (2A5F).
struct PulseOximetry {
  /// What the characteristics have in common, and the fast and slow values that only 2A5F has.
  struct Pair {
    let spo2: UInt16
    let pulse: UInt16

    /// Percent, or nil: NaN and the other specials, 127 (which oximeters show for "missing"), or no percentage.
    var saturation: Decimal? { reading(spo2, within: 1...100) }

    /// Beats a minute, or nil: the specials, 511 and 255 (missing), or no heart's rate.
    var rate: Decimal? {
      reading(pulse, within: 1...510).flatMap { $0.doubleValue == 255 ? nil : $0 }
    }

    private func reading(_ bits: UInt16, within range: ClosedRange<Double>) -> Decimal? {
      guard let number = MedicalFloat(sfloat: bits).decimal, range.contains(number.doubleValue) else { return nil }
      return number
    }
  }

  let isContinuous: Bool
  let normal: Pair
  var fast: Pair?
  var slow: Pair?
  var time: DateTime?
  var measurementStatus: MeasurementStatus?
  var sensorStatus: SensorStatus?
  var amplitudeIndex: MedicalFloat?
  /// Flag bit 4 of a spot-check: the time is not to be trusted.
  var clockIsUnset = false

  /// Reads PLX Spot-Check Measurement (Pulse Oximeter Service 1.0.1, 3.1).
  init(spotCheck bytes: RawSpan) throws(DecodeError) {
    var reader = ByteReader(bytes)
    let flags = try reader.uint8()
    isContinuous = false
    normal = Pair(spo2: try reader.uint16(), pulse: try reader.uint16())
    if flags & 0x01 != 0 { time = try reader.dateTime() }
    if flags & 0x02 != 0 { measurementStatus = MeasurementStatus(rawValue: try reader.uint16()) }
    if flags & 0x04 != 0 { sensorStatus = try SensorStatus(&reader) }
    if flags & 0x08 != 0 { amplitudeIndex = try reader.sfloat() }
    clockIsUnset = flags & 0x10 != 0
  }

  /// Reads PLX Continuous Measurement (Pulse Oximeter Service 1.0.1, 3.2).
  init(continuous bytes: RawSpan) throws(DecodeError) {
    var reader = ByteReader(bytes)
    let flags = try reader.uint8()
    isContinuous = true
    normal = Pair(spo2: try reader.uint16(), pulse: try reader.uint16())
    if flags & 0x01 != 0 { fast = Pair(spo2: try reader.uint16(), pulse: try reader.uint16()) }
    if flags & 0x02 != 0 { slow = Pair(spo2: try reader.uint16(), pulse: try reader.uint16()) }
    if flags & 0x04 != 0 { measurementStatus = MeasurementStatus(rawValue: try reader.uint16()) }
    if flags & 0x08 != 0 { sensorStatus = try SensorStatus(&reader) }
    if flags & 0x10 != 0 { amplitudeIndex = try reader.sfloat() }
  }

  /// Saturation and pulse of a person, or nil when the meter has none: without a pulse there is no saturation.
  var reading: (saturation: Decimal, rate: Decimal)? {
    guard measurementStatus?.isNoMeasurement != true, sensorStatus?.isOffThePerson != true,
      let saturation = normal.saturation, let rate = normal.rate
    else { return nil }
    return (saturation, rate)
  }

  var qualifier: Qualifier {
    measurementStatus?.isQuestionable == true || isEstimate || sensorStatus?.isUncertain == true
      ? .questionable : .exact
  }

  /// An early estimate, which later values correct. That the measurement goes on (bit 5) is said of finished spot-checks, too.
  private var isEstimate: Bool {
    guard let status = measurementStatus else { return false }
    return status.isEarlyEstimate && !status.isValidated
  }
}

/// Measurement Status (Pulse Oximeter Service 1.0.1, 3.1.1.5).
struct MeasurementStatus: Equatable {
  let rawValue: UInt16

  /// Bits 10 demonstration, 11 test, 12 calibration, 13 measurement unavailable, 15 invalid: nobody's value.
  var isNoMeasurement: Bool { rawValue & 0b1011_1100_0000_0000 != 0 }
  /// Bit 14.
  var isQuestionable: Bool { rawValue & 0x4000 != 0 }
  /// Bit 6.
  var isEarlyEstimate: Bool { rawValue & 0x0040 != 0 }
  /// Bits 7 validated and 8 fully qualified.
  var isValidated: Bool { rawValue & 0x0180 != 0 }
  /// Bit 9: the measurement comes out of the device's memory.
  var isFromStorage: Bool { rawValue & 0x0200 != 0 }
}

/// Device and Sensor Status (Pulse Oximeter Service 1.0.1, 3.1.1.6), 24 bits.
struct SensorStatus: Equatable {
  let rawValue: UInt32

  init(_ reader: inout ByteReader) throws(DecodeError) {
    let low = try reader.uint16()
    rawValue = UInt32(low) | UInt32(try reader.uint8()) << 16
  }

  /// Bits 1 and 14 malfunction, 11 not connected to the person, 13 displaced, 15 disconnected.
  var isOffThePerson: Bool { rawValue & 0b1110_1000_0000_0010 != 0 }
  /// Bits 2 irregular, 3 inadequate, 6 erratic, 7 no pulse, 8 questionable pulse, 10 interference, 12 unknown sensor. Poor
  /// signal (4) and low perfusion (5) are what a cold finger has.
  var isUncertain: Bool { rawValue & 0b0001_0101_1100_1100 != 0 }
}
