import BluetoothWire
import DriverContract
import HostPrimitives

extension GATTDatabase {
  /// The services as a driver sees them.
  var driverServices: [DriverService] {
    services.map { service in
      DriverService(
        firstHandle: service.firstHandle, lastHandle: service.lastHandle, uuid: DriverUUID(service.uuid.bytes))
    }
  }

  /// The characteristics as a driver sees them.
  var driverCharacteristics: [DriverCharacteristic] {
    characteristics.map { characteristic in
      DriverCharacteristic(
        handle: characteristic.valueHandle, properties: UInt16(characteristic.properties),
        serviceIndex: UInt32(characteristic.serviceIndex), uuid: DriverUUID(characteristic.uuid.bytes))
    }
  }
}

extension DriverUUID {
  /// From sixteen bytes in writing order.
  fileprivate init(_ bytes: [UInt8]) {
    self.init(
      high: UInt64(bigEndianBytes: bytes.prefix(8)), low: UInt64(bigEndianBytes: bytes.dropFirst(8)))
  }
}
