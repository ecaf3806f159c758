import MeterDriver

/// One Blood Pressure Measurement (2A35) or Intermediate Cuff Pressure (2A36) as the monitor sent it: both have the same
/// fields (GATT Specification Supplement; Blood Pressure Service 3.1 and 3.2).
struct BloodPressureMeasurement {
  let flags: UInt8
  /// SFLOATs. In an intermediate value the first is the pressure in the cuff, and the others are NaN.
  let systolic: UInt16
  let diastolic: UInt16
  let mean: UInt16
  var time: DateTime?
  let tail: Tail

  /// Flag bits 5 to 7 are reserved and set by some monitors; what follows the last field is not read.
  ///
  /// - Throws: ``DecodeError/truncated(at:)`` when the bytes end before what the flags announce.
  @inline(__always)
  init(_ bytes: RawSpan, _ quirks: Quirks) throws(DecodeError) {
    var reader = ByteReader(bytes)
    flags = try reader.uint8()
    systolic = try reader.uint16()
    diastolic = try reader.uint16()
    mean = try reader.uint16()
    if flags & 0x02 != 0 { time = try reader.dateTime() }
    tail = try Tail(&reader, flags: flags, quirks)
  }

  var pulse: UInt16? { tail.pulse }
  var user: UInt8? { tail.user }
  var status: UInt16? { tail.status }

  var isKilopascal: Bool { flags & 0x01 != 0 }

  /// The two pressures, or nil when this is no reading: a monitor reports a failed measurement with NaN in all fields,
  /// and pressures that are not above zero, or a diastolic one that is not below the systolic one, cannot be.
  @inline(__always)
  var pressures: (systolic: Decimal, diastolic: Decimal)? {
    guard let systolic = MedicalFloat(sfloat: systolic).decimal,
      let diastolic = MedicalFloat(sfloat: diastolic).decimal,
      diastolic.mantissa > 0, systolic.doubleValue > diastolic.doubleValue
    else { return nil }
    return (systolic, diastolic)
  }

  /// The mean arterial pressure, or nil: NaN beside good pressures is common, some monitors send 0, and a mean lies
  /// between the pressures that it is the mean of.
  @inline(__always)
  func mean(between pressures: (systolic: Decimal, diastolic: Decimal)) -> Decimal? {
    guard let mean = MedicalFloat(sfloat: mean).decimal, mean.doubleValue >= pressures.diastolic.doubleValue,
      mean.doubleValue <= pressures.systolic.doubleValue
    else { return nil }
    return mean
  }

  /// The pulse rate, or nil when the monitor could not count it, or when the field means something else: nobody's is
  /// below 10, no display has four digits for it, and 255 is a byte without a value.
  @inline(__always)
  var pulseRate: Decimal? {
    guard let pulse, let rate = MedicalFloat(sfloat: pulse).decimal, (10..<1000).contains(rate.doubleValue),
      rate.doubleValue != 255
    else { return nil }
    return rate
  }

  /// The pressure in the cuff of an intermediate value, or nil.
  var cuffPressure: Decimal? {
    guard let pressure = MedicalFloat(sfloat: systolic).decimal, pressure.mantissa >= 0 else { return nil }
    return pressure
  }
}

/// The Measurement Status field (Blood Pressure Service 3.1.1.6).
struct MeasurementStatus {
  let bits: UInt16

  /// Body movement, a loose cuff and an improper position make the monitor doubt what it measured; an irregular pulse
  /// (bit 2) is something that it found out about the person.
  var doubtsPressure: Bool { bits & 0b10_0011 != 0 }

  /// Bits 3 and 4: the pulse rate is above or below what the monitor can count. Value 3 is reserved.
  var pulseQualifier: Qualifier {
    switch bits >> 3 & 0b11 {
    case 1: .above
    case 2: .below
    default: doubtsPressure ? .questionable : .exact
    }
  }
}
