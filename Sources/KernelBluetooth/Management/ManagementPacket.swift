import BluetoothWire
import HostPrimitives

/// One packet of the management interface (BlueZ, doc/mgmt-api.txt, "Packet Structures"): code, adapter index and parameters,
/// with a length between them.
package struct ManagementPacket: Sendable, Hashable {
  /// The index of packets that belong to no adapter.
  package static let noAdapter: UInt16 = 0xFFFF

  /// The command's or the event's number.
  package var code: UInt16
  /// The adapter's index.
  package var index: UInt16
  /// What stands behind the head.
  package var parameters: [UInt8]

  /// A packet from its parts.
  package init(code: UInt16, index: UInt16, parameters: [UInt8] = []) {
    self.code = code
    self.index = index
    self.parameters = parameters
  }

  /// Reads a packet; nil unless the length says what the bytes are.
  package init?(decoding bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard let code = reader.uint16(), let index = reader.uint16(), let length = reader.uint16(),
      let parameters = reader.take(Int(length)), reader.isEmpty
    else { return nil }
    self.init(code: code, index: index, parameters: Array(parameters))
  }

  /// The packet's bytes.
  package var encoded: [UInt8] {
    [code, index, UInt16(truncatingIfNeeded: parameters.count)].flatMap(\.littleEndianBytes) + parameters
  }
}
