package import DriverContract
package import CMeterDriver

extension DriverEvent {
  /// Lends the event in the form that the contract wants (rule R10); fields that an event does not name are zero.
  package func withTable<Result>(_ body: (UnsafePointer<mh_event>) -> Result) -> Result {
    var table = head
    switch fact {
    case .notification(let handle, let value), .indication(let handle, let value):
      table.handle = handle
      return Self.lend(table, value, body)
    case .read(let handle, let value, let status):
      table.handle = handle
      table.status = status
      return Self.lend(table, value, body)
    case .advertisement(let value, let rssi):
      table.status = rssi
      return Self.lend(table, value, body)
    case .userInput(let value, let status):
      table.status = status
      return Self.lend(table, value, body)
    case .services(let services, let characteristics): return Self.lend(table, services, characteristics, body)
    case .connected(let mtu), .mtu(let mtu): table.mtu = mtu
    case .encrypted(let level): table.status = level
    case .subscribed(let handle, let status), .wrote(let handle, let status):
      table.handle = handle
      table.status = status
    case .disconnected(let reason): table.status = reason
    case .cancel(let grace): table.token = grace
    case .serviceChanged, .timer, .proceed: break
    }
    return withUnsafePointer(to: table, body)
  }

  private var head: mh_event {
    var table = mh_event()
    table.struct_size = UInt32(MemoryLayout<mh_event>.size)
    table.kind = fact.kind
    table.seq = sequence
    table.token = token
    table.mono_ns = monotonicNanoseconds
    table.unix_us = unixMicroseconds
    return table
  }

  private static func lend<Result>(
    _ table: mh_event, _ value: [UInt8], _ body: (UnsafePointer<mh_event>) -> Result
  ) -> Result {
    value.withUnsafeBufferPointer { bytes in
      var table = table
      table.value = mh_bytes(p: bytes.baseAddress, n: UInt64(bytes.count))
      return withUnsafePointer(to: table, body)
    }
  }

  private static func lend<Result>(
    _ table: mh_event, _ services: [DriverService], _ characteristics: [DriverCharacteristic],
    _ body: (UnsafePointer<mh_event>) -> Result
  ) -> Result {
    let services = services.map {
      mh_service(
        first_handle: $0.firstHandle, last_handle: $0.lastHandle, reserved: 0, uuid: mh_uuid($0.uuid))
    }
    let characteristics = characteristics.map {
      mh_characteristic(
        handle: $0.handle, properties: $0.properties, service_index: $0.serviceIndex, uuid: mh_uuid($0.uuid))
    }
    return services.withUnsafeBufferPointer { services in
      characteristics.withUnsafeBufferPointer { characteristics in
        var table = table
        table.services = services.baseAddress
        table.n_services = UInt32(services.count)
        table.characteristics = characteristics.baseAddress
        table.n_characteristics = UInt32(characteristics.count)
        return withUnsafePointer(to: table, body)
      }
    }
  }
}

extension DriverFact {
  /// `MH_EV_*`.
  package var kind: UInt32 {
    switch self {
    case .connected: MH_EV_CONNECTED
    case .encrypted: MH_EV_ENCRYPTED
    case .services: MH_EV_SERVICES
    case .serviceChanged: MH_EV_SERVICE_CHANGED
    case .mtu: MH_EV_MTU
    case .subscribed: MH_EV_SUBSCRIBED
    case .notification: MH_EV_NOTIFICATION
    case .indication: MH_EV_INDICATION
    case .read: MH_EV_READ
    case .wrote: MH_EV_WROTE
    case .timer: MH_EV_TIMER
    case .advertisement: MH_EV_ADVERTISEMENT
    case .userInput: MH_EV_USER_INPUT
    case .cancel: MH_EV_CANCEL
    case .disconnected: MH_EV_DISCONNECTED
    case .proceed: MH_EV_CONTINUE
    }
  }
}

extension mh_uuid {
  package init(_ uuid: DriverUUID) {
    self.init()
    withUnsafeMutableBytes(of: &b) { $0.copyBytes(from: uuid.bigEndianBytes) }
  }
}
