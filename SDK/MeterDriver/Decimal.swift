/// An exact decimal number as the meter reported it: `mantissa` x 10^`exponent`.
public struct Decimal: Equatable {
  /// The digits.
  public let mantissa: Int64
  /// The power of ten: the resolution that the meter reported.
  public let exponent: Int8

  /// Joins digits and power of ten.
  @inlinable
  @inline(__always)
  public init(mantissa: Int64, exponent: Int8) {
    self.mantissa = mantissa
    self.exponent = exponent
  }

  /// The same digits times a power of ten, which is how a unit with another decimal prefix keeps its exact value.
  /// Nil when the exponent leaves the contract's eight bits.
  @inlinable
  @inline(__always)
  public func scaled(byPowerOfTen power: Int8) -> Decimal? {
    let (sum, overflow) = exponent.addingReportingOverflow(power)
    return overflow ? nil : Decimal(mantissa: mantissa, exponent: sum)
  }

  /// True when `doubleValue` is the nearest double. Mantissas up to 2^53 and powers of ten up to 10^22 are exact
  /// doubles, and one division or multiplication of exact numbers rounds correctly.
  @inlinable
  @inline(__always)
  public var isExactlyConvertible: Bool {
    exponent >= -22 && exponent <= 22 && mantissa.magnitude <= 1 << 53
  }

  /// The nearest double; see ``isExactlyConvertible`` for the numbers of which that is true.
  @inlinable
  @inline(__always)
  public var doubleValue: Double {
    exponent < 0 ? Double(mantissa) / Decimal.power(-Int(exponent)) : Double(mantissa) * Decimal.power(Int(exponent))
  }

  /// 10^n for n from 0 to 22; a larger n gives infinity, which no check lets pass as a reading.
  @inlinable
  @inline(__always)
  static func power(_ n: Int) -> Double {
    switch n {
    case 0: 1
    case 1: 1e1
    case 2: 1e2
    case 3: 1e3
    case 4: 1e4
    case 5: 1e5
    case 6: 1e6
    case 7: 1e7
    case 8: 1e8
    case 9: 1e9
    case 10: 1e10
    case 11: 1e11
    case 12: 1e12
    case 13: 1e13
    case 14: 1e14
    case 15: 1e15
    case 16: 1e16
    case 17: 1e17
    case 18: 1e18
    case 19: 1e19
    case 20: 1e20
    case 21: 1e21
    case 22: 1e22
    default: .infinity
    }
  }
}
