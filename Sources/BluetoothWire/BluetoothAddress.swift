import HostPrimitives

/// The address of a Bluetooth device: six bytes and whether they are public or random (Core Vol 6 Part B 1.3).
public struct BluetoothAddress: Hashable, Sendable {
  /// Whether an address is assigned by the IEEE or chosen by the device; the raw value is HCI's address type.
  public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    /// Assigned by the IEEE: the same for the device's life.
    case `public` = 0
    /// Chosen by the device; it may change.
    case random = 1
  }

  /// The address as a number of 48 bits; the first byte of the text form is the most significant.
  public let value: UInt64
  /// Public or random.
  public let kind: Kind

  /// An address from the lower 48 bits of a number.
  public init(value: UInt64, kind: Kind = .public) {
    self.value = value & 0xFFFF_FFFF_FFFF
    self.kind = kind
  }

  /// An address from six bytes, least significant first as on the air; nil for any other count.
  public init?(littleEndian bytes: some BidirectionalCollection<UInt8>, kind: Kind = .public) {
    guard bytes.count == 6 else { return nil }
    self.init(value: UInt64(littleEndianBytes: bytes), kind: kind)
  }

  /// Parses `AA:BB:CC:DD:EE:FF` in any letter case, or the same without colons.
  public init?(_ text: String, kind: Kind = .public) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 1 || (parts.count == 6 && parts.allSatisfy { $0.utf8.count == 2 }) else { return nil }
    var value: UInt64 = 0
    var count = 0
    for character in parts.joined().utf8 {
      guard let digit = Hexadecimal.value(of: character), count < 12 else { return nil }
      value = value << 4 | UInt64(digit)
      count += 1
    }
    guard count == 12 else { return nil }
    self.init(value: value, kind: kind)
  }

  /// Whether the device takes another one from time to time (Core Vol 6 Part B 1.3.2.2: a random address whose two most
  /// significant bits are not both set).
  public var isPrivate: Bool { kind == .random && value >> 46 != 0b11 }

  /// The six bytes, least significant first as on the air.
  public var littleEndianBytes: [UInt8] { Array(value.littleEndianBytes.prefix(6)) }

  /// The six bytes, most significant first as people write them.
  public var bigEndianBytes: [UInt8] { littleEndianBytes.reversed() }

  /// The twelve upper-case digits without colons, as used in file names.
  public var digits: String { value.hexadecimal(digits: 12, uppercase: true) }
}

extension BluetoothAddress: CustomStringConvertible {
  /// `AA:BB:CC:DD:EE:FF`.
  public var description: String {
    bigEndianBytes.map { $0.hexadecimal(digits: 2, uppercase: true) }.joined(separator: ":")
  }
}
