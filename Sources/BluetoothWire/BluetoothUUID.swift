import HostPrimitives

/// A Bluetooth UUID: the identity of a service, a characteristic or a descriptor.
///
/// The 16- and 32-bit forms are abbreviations of a 128-bit UUID made with the Bluetooth base UUID
/// `00000000-0000-1000-8000-00805F9B34FB` (Core Specification 5.4, Vol 3 Part B 2.5.1), so `2A18` and
/// `00002A18-0000-1000-8000-00805F9B34FB` are equal here.
public struct BluetoothUUID: Hashable, Sendable {
  /// The most significant eight bytes.
  let high: UInt64
  /// The least significant eight bytes.
  let low: UInt64

  private static let baseHigh: UInt64 = 0x0000_0000_0000_1000
  private static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB

  private init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// A UUID from its 16-bit form, such as `0x2A18`.
  public init(_ short: UInt16) {
    self.init(UInt32(short))
  }

  /// A UUID from its 32-bit form.
  public init(_ short: UInt32) {
    high = UInt64(short) << 32 | Self.baseHigh
    low = Self.baseLow
  }

  /// A UUID from 16 bytes in the order of its text form (most significant first); nil for any other count.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    high = UInt64(bigEndianBytes: bytes.prefix(8))
    low = UInt64(bigEndianBytes: bytes.dropFirst(8))
  }

  /// A UUID from its form on the air: 2, 4 or 16 bytes, least significant first; nil for any other count.
  public init?(littleEndian bytes: some BidirectionalCollection<UInt8>) {
    switch bytes.count {
    case 2, 4: self.init(UInt32(littleEndianBytes: bytes))
    case 16: self.init(bytes: Array(bytes.reversed()))
    default: return nil
    }
  }

  /// A UUID from its form on the air within other bytes: `size` is 2, 4 or 16, and so many bytes lie behind `place`.
  init(littleEndian bytes: [UInt8], at place: Int, size: Int) {
    let bytes = bytes[...]
    switch size {
    case 16: self.init(high: bytes.number(at: place + 8) ?? 0, low: bytes.number(at: place) ?? 0)
    case 4: self.init(bytes.number(at: place, as: UInt32.self) ?? 0)
    default: self.init(bytes.number(at: place, as: UInt16.self) ?? 0)
    }
  }

  /// The 16-bit form, if the UUID has one.
  public var uint16: UInt16? { uint32.flatMap { UInt16(exactly: $0) } }

  /// The 32-bit form, if the UUID has one.
  public var uint32: UInt32? {
    guard low == Self.baseLow, high & 0xFFFF_FFFF == Self.baseHigh else { return nil }
    return UInt32(high >> 32)
  }

  /// The 16 bytes in the order of the text form (most significant first).
  public var bytes: [UInt8] {
    high.bigEndianBytes + low.bigEndianBytes
  }

  /// The form that ATT carries: 2 bytes if the UUID has a 16-bit form, else 16; least significant first
  /// (Core Vol 3 Part F 3.2.1: ATT knows no 32-bit form).
  public var littleEndianBytes: [UInt8] {
    if let short = uint16 { return short.littleEndianBytes }
    return fullLittleEndianBytes
  }

  /// All 16 bytes, least significant first.
  public var fullLittleEndianBytes: [UInt8] { bytes.reversed() }
}

extension BluetoothUUID: LosslessStringConvertible {
  /// Parses `2A18`, `0x2A18`, an 8-digit form, or the full form with or without hyphens; any letter case.
  public init?(_ description: String) {
    var text = Substring(description)
    if text.hasPrefix("0x") || text.hasPrefix("0X") { text = text.dropFirst(2) }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(\.utf8.count)
    guard parts.count == 1 || parts == [8, 4, 4, 4, 12] else { return nil }
    var digits: [UInt8] = []
    for character in text.utf8 where character != UInt8(ascii: "-") {
      guard let digit = Hexadecimal.value(of: character) else { return nil }
      digits.append(digit)
    }
    let value = { (part: ArraySlice<UInt8>) in part.reduce(UInt64(0)) { $0 << 4 | UInt64($1) } }
    switch digits.count {
    case 4, 8: self.init(UInt32(truncatingIfNeeded: value(digits[...])))
    case 32: self.init(high: value(digits[..<16]), low: value(digits[16...]))
    default: return nil
    }
  }

  /// The shortest form in upper case: `2A18`, `0001FFFE`, or the 36-character form in upper case.
  public var description: String {
    if let short = uint16 { return short.hexadecimal(digits: 4, uppercase: true) }
    if let short = uint32 { return short.hexadecimal(digits: 8, uppercase: true) }
    return fullDescription
  }

  /// The 36-character form in upper case.
  public var fullDescription: String {
    [
      (high >> 32, 8), (high >> 16 & 0xFFFF, 4), (high & 0xFFFF, 4), (low >> 48, 4), (low & 0xFFFF_FFFF_FFFF, 12),
    ].map { $0.hexadecimal(digits: $1, uppercase: true) }.joined(separator: "-")
  }
}

extension BluetoothUUID: ExpressibleByIntegerLiteral {
  /// A UUID from a literal of its 16-bit form.
  public init(integerLiteral value: UInt16) { self.init(value) }
}

extension BluetoothUUID: Codable {
  /// Decodes the text form.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let uuid = BluetoothUUID(text) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "“\(text)” is no Bluetooth UUID; write 4, 8 or 32 hexadecimal digits, such as 2A18")
    }
    self = uuid
  }

  /// Encodes the shortest text form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
