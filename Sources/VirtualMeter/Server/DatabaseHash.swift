import BluetoothWire
import CCrypto
import HostPrimitives

/// The Database Hash of a server (Core Specification, Vol 3 Part G 7.3.1): AES-CMAC with a key of zeros over the attributes
/// that make up the structure of the database.
enum DatabaseHash {
  /// Attributes that count with their values: declarations, and the extended properties.
  private static let counted: Set<UInt16> = [0x2800, 0x2801, 0x2802, 0x2803, 0x2900]
  /// Descriptors of which only that they are there counts.
  private static let named: Set<UInt16> = [0x2901, 0x2902, 0x2903, 0x2904, 0x2905]

  /// The sixteen bytes as they are read, least significant first.
  static func of(_ attributes: [(handle: UInt16, attribute: GATTDatabase.Attribute)]) -> [UInt8] {
    of(attributes.map { ($0.handle, $0.attribute.type, $0.attribute.value) })
  }

  /// The sixteen bytes as they are read, least significant first.
  static func of(_ attributes: [(handle: UInt16, type: BluetoothUUID, value: [UInt8])]) -> [UInt8] {
    var message: [UInt8] = []
    for (handle, type, value) in attributes {
      guard let short = type.uint16, counted.contains(short) || named.contains(short) else { continue }
      message += handle.littleEndianBytes + type.littleEndianBytes
      if counted.contains(short) { message += value }
    }
    var hash = [UInt8](repeating: 0, count: 16)
    [UInt8](repeating: 0, count: 16).withUnsafeBufferPointer { key in
      message.withUnsafeBufferPointer { message in
        _ = ccrypto_cmac(
          ccrypto_bytes(p: key.baseAddress, n: key.count), ccrypto_bytes(p: message.baseAddress, n: message.count),
          &hash)
      }
    }
    return hash.reversed()
  }
}
