import CMeterDriver

/// A characteristic that the meter really has.
public struct Characteristic {
  /// Handle of the value: what events and actions name.
  public let handle: UInt16
  /// Read, write, notify, indicate bits (Core Specification, Vol 3 Part G 3.3.1.1).
  public let properties: UInt16
  /// The UUID.
  public let uuid: BluetoothUUID
  /// The UUID of its service.
  public let serviceUUID: BluetoothUUID

  /// The 16-bit Bluetooth SIG id, 0 for a vendor's own UUID.
  public var id: UInt16 { uuid.id }
  /// The 16-bit Bluetooth SIG id of its service, 0 for a vendor's own UUID.
  public var service: UInt16 { serviceUUID.id }
  /// True when the meter can notify or indicate this value.
  public var canSubscribe: Bool { properties & 0x30 != 0 }
  /// True when the host can read this value.
  public var canRead: Bool { properties & 0x02 != 0 }
  /// True when the host can write this value with a response.
  public var canWrite: Bool { properties & 0x08 != 0 }
  /// True when the host can write this value without a response.
  public var canWriteWithoutResponse: Bool { properties & 0x04 != 0 }
}

/// The services and characteristics that the meter has of those that the registry lists for the driver.
public struct GATTDatabase: ~Escapable {
  let event: UnsafePointer<mh_event>

  @_lifetime(borrow event)
  init(borrowing event: UnsafePointer<mh_event>) { self.event = event }

  /// How many characteristics there are.
  public var count: Int { event.pointee.characteristics == nil ? 0 : Int(event.pointee.n_characteristics) }

  /// A characteristic by its place in the list, or nil outside it.
  public subscript(index: Int) -> Characteristic? {
    guard index >= 0, index < count, let all = event.pointee.characteristics else { return nil }
    var service = BluetoothUUID(0, 0)
    if let services = event.pointee.services, all[index].service_index < event.pointee.n_services {
      service = BluetoothUUID(services[Int(all[index].service_index)].uuid)
    }
    return Characteristic(
      handle: all[index].handle, properties: all[index].properties, uuid: BluetoothUUID(all[index].uuid),
      serviceUUID: service)
  }

  /// The first characteristic with this UUID inside the service with this UUID.
  public func characteristic(uuid: BluetoothUUID, in service: BluetoothUUID) -> Characteristic? {
    for index in 0..<count {
      if let found = self[index], found.uuid == uuid, found.serviceUUID == service { return found }
    }
    return nil
  }

  /// The first characteristic with this Bluetooth SIG id inside the service with this Bluetooth SIG id.
  public func characteristic(_ id: UInt16, in service: UInt16) -> Characteristic? {
    characteristic(uuid: BluetoothUUID(id: id), in: BluetoothUUID(id: service))
  }
}
