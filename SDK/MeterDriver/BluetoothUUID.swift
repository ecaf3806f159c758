import CMeterDriver

/// A Bluetooth UUID. Write a vendor's as its two halves, in the order in which people write it, and make it a constant:
///
/// ```swift
/// // 00001523-1212-efde-1523-785feabcd123
/// static var service: BluetoothUUID { BluetoothUUID(0x0000_1523_1212_efde, 0x1523_785f_eabc_d123) }
/// ```
public struct BluetoothUUID: Equatable {
  /// The first eight bytes as people write them.
  public let high: UInt64
  /// The last eight bytes.
  public let low: UInt64

  /// Joins the two halves.
  @inlinable
  public init(_ high: UInt64, _ low: UInt64) {
    self.high = high
    self.low = low
  }

  /// A Bluetooth SIG id, expanded with the Bluetooth base UUID (Core Specification, Vol 3 Part B 2.5.1).
  @inlinable
  public init(id: UInt16) { self.init(UInt64(id) << 32 | 0x1000, 0x8000_0080_5f9b_34fb) }

  /// The 16-bit Bluetooth SIG id, 0 for a vendor's own UUID.
  @inlinable
  public var id: UInt16 {
    let id = UInt16(truncatingIfNeeded: high >> 32)
    return self == BluetoothUUID(id: id) ? id : 0
  }

  init(_ uuid: mh_uuid) {
    let (high, low) = withUnsafeBytes(of: uuid) { bytes in
      (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
    self.init(UInt64(bigEndian: high), UInt64(bigEndian: low))
  }
}
