/// A number of the IEEE 11073-20601 types SFLOAT and FLOAT: a decimal, or one of the named specials.
public enum MedicalFloat: Equatable {
  /// A finite number.
  case number(Decimal)
  /// NaN: the meter could not measure.
  case notANumber
  /// NRes: the value does not fit this resolution.
  case notAtThisResolution
  /// +INF: above what the type can hold.
  case positiveInfinity
  /// -INF: below what the type can hold.
  case negativeInfinity
  /// Reserved for future use.
  case reserved

  /// Decodes an SFLOAT: 4-bit exponent, 12-bit mantissa.
  ///
  /// The special mantissas count with every exponent: the standard excludes them from the range of numbers, and a NaN
  /// with a stray exponent must not become a reading.
  @inlinable
  @inline(__always)
  public init(sfloat bits: UInt16) {
    let mantissa = Int16(bitPattern: bits << 4) >> 4
    let exponent = Int8(truncatingIfNeeded: Int16(bitPattern: bits) >> 12)
    // 2046, 2047, -2048, -2047 and -2046 are neighbours modulo 4096.
    if (bits & 0x0fff) &- 0x07fe <= 4 {
      self.init(special: Int(bits & 0x0fff) - 0x07fe)
    } else {
      self = .number(Decimal(mantissa: Int64(mantissa), exponent: exponent))
    }
  }

  /// Decodes a FLOAT: 8-bit exponent, 24-bit mantissa. The special mantissas count with every exponent.
  @inlinable
  @inline(__always)
  public init(float bits: UInt32) {
    let mantissa = Int32(bitPattern: bits << 8) >> 8
    let exponent = Int8(truncatingIfNeeded: Int32(bitPattern: bits) >> 24)
    if (bits & 0x00ff_ffff) &- 0x007f_fffe <= 4 {
      self.init(special: Int(bits & 0x00ff_ffff) - 0x007f_fffe)
    } else {
      self = .number(Decimal(mantissa: Int64(mantissa), exponent: exponent))
    }
  }

  /// Both types order their specials alike: +INF, NaN, NRes, reserved, -INF.
  @inlinable
  @inline(__always)
  init(special index: Int) {
    switch index {
    case 0: self = .positiveInfinity
    case 1: self = .notANumber
    case 2: self = .notAtThisResolution
    case 3: self = .reserved
    default: self = .negativeInfinity
    }
  }

  /// The finite number, or nil.
  @inlinable
  @inline(__always)
  public var decimal: Decimal? {
    if case .number(let decimal) = self { decimal } else { nil }
  }
}
