import HostPrimitives

/// A Bluetooth UUID in one form, however it was written.
///
/// 16- and 32-bit ids stand for a full UUID over the Bluetooth base UUID (Core Specification, Vol 3 Part B 2.5.1); two
/// ways to write one UUID compare equal.
public struct UUIDString: Sendable, Hashable, CustomStringConvertible {
  private let high: UInt64
  private let low: UInt64

  private static let baseHigh: UInt64 = 0x0000_0000_0000_1000
  private static let baseLow: UInt64 = 0x8000_0080_5f9b_34fb

  /// A Bluetooth SIG 16-bit id.
  package init(uuid16: UInt16) {
    high = UInt64(uuid16) << 32 | Self.baseHigh
    low = Self.baseLow
  }

  /// The 16 bytes in the order in which people write them; nil for another count.
  package init?(bigEndian bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    high = UInt64(bigEndianBytes: bytes.prefix(8))
    low = UInt64(bigEndianBytes: bytes.dropFirst(8))
  }

  /// Reads 4 or 8 hex digits, or 36 characters with dashes after digits 8, 12, 16 and 20; nil for anything else.
  package init?(_ text: String) {
    var text = text
    let halves = text.withUTF8(Self.halves)
    guard let halves else { return nil }
    (high, low) = halves
  }

  private static func halves(_ text: UnsafeBufferPointer<UInt8>) -> (high: UInt64, low: UInt64)? {
    guard text.count == 4 || text.count == 8 || text.count == 36 else { return nil }
    var (high, low): (UInt64, UInt64) = (0, 0)
    var digits = 0
    for (index, character) in text.enumerated() {
      if text.count == 36, index == 8 || index == 13 || index == 18 || index == 23 {
        guard character == 0x2d else { return nil }
        continue
      }
      guard let digit = Hexadecimal.value(of: character).map(UInt64.init) else { return nil }
      if digits < 16 { high = high << 4 | digit } else { low = low << 4 | digit }
      digits += 1
    }
    return text.count == 36 ? (high, low) : (high << 32 | baseHigh, baseLow)
  }

  /// The 16 bytes in the order in which people write them: the form of `mh_uuid`.
  package var bigEndianBytes: [UInt8] { high.bigEndianBytes + low.bigEndianBytes }

  /// The 16-bit id when this is a Bluetooth SIG UUID.
  package var uuid16: UInt16? {
    low == Self.baseLow && high & 0xffff_0000_ffff_ffff == Self.baseHigh
      ? UInt16(truncatingIfNeeded: high >> 32) : nil
  }

  /// The canonical 36 characters, lower case.
  package var canonical: String {
    let digits = bigEndianBytes.hexadecimal
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index == 8 || index == 12 || index == 16 || index == 20 { text.append("-") }
      text.append(digit)
    }
    return text
  }

  /// Four upper-case hex digits for a Bluetooth SIG UUID, otherwise the canonical form.
  public var description: String {
    guard let uuid16 else { return canonical }
    return uuid16.hexadecimal(digits: 4, uppercase: true)
  }
}
