import BluetoothWire
import HostPrimitives

/// Return parameters of management commands.
package enum ManagementAnswer {
  /// Read Controller Index List: the adapters' indices (BlueZ, doc/mgmt-api.txt); what is cut short is left out.
  package static func indices(_ bytes: [UInt8]) -> [UInt16] {
    var reader = ByteReader(bytes)
    guard let count = reader.uint16() else { return [] }
    return (0..<count).compactMap { _ in reader.uint16() }
  }
}
