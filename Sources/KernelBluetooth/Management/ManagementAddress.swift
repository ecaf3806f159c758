import BluetoothWire
import HostPrimitives

/// A peer's address as the management interface writes it: six bytes, least significant first, and the kernel's address type
/// (BlueZ, doc/mgmt-api.txt: 0 BR/EDR, 1 LE public, 2 LE random).
enum ManagementAddress {
  /// Bytes of an address with its type.
  static let length = 7

  /// The seven bytes.
  static func bytes(of address: BluetoothAddress) -> [UInt8] { address.littleEndianBytes + [type(of: address)] }

  /// The kernel's address type.
  static func type(of address: BluetoothAddress) -> UInt8 {
    switch address.kind {
    case .public: 1
    case .random: 2
    }
  }

  /// Takes the seven bytes; nil when they are not there, or of a device that is not LE.
  static func take(from reader: inout ByteReader) -> BluetoothAddress? {
    guard let bytes = reader.take(6), let type = reader.uint8() else { return nil }
    switch type {
    case 1: return BluetoothAddress(littleEndian: bytes, kind: .public)
    case 2: return BluetoothAddress(littleEndian: bytes, kind: .random)
    default: return nil
    }
  }
}
