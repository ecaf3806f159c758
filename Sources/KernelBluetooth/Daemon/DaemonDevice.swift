import BluetoothWire
import HostPrimitives

/// What bluetoothd says of a meter (BlueZ, doc/device-api.txt).
struct DaemonDevice: Sendable, Hashable {
  static let interface = "org.bluez.Device1"

  /// The object.
  var path: String
  /// Its address; after a pairing, that by which a meter with changing addresses is known.
  var address: BluetoothAddress
  /// Whether it is paired now.
  var isPaired: Bool
  /// Whether bluetoothd keeps the keys; a pairing may end with the link.
  var isBonded: Bool
  /// Whether its link is up, whoever holds it.
  var isConnected: Bool

  /// A meter from its properties; nil when one is missing or has another type.
  init?(path: String, properties: BusValue?) {
    guard case .dictionary(let properties)? = properties, case .text(let text)? = properties["Address"]?.inside,
      case .truth(let isPaired)? = properties["Paired"]?.inside,
      case .truth(let isConnected)? = properties["Connected"]?.inside,
      case .text(let type)? = properties["AddressType"]?.inside,
      let kind = ["public": BluetoothAddress.Kind.public, "random": .random][type],
      let address = BluetoothAddress(text, kind: kind)
    else { return nil }
    self.path = path
    self.address = address
    self.isPaired = isPaired
    self.isConnected = isConnected
    switch properties["Bonded"] {
    case .variant(.truth(let isBonded))?: self.isBonded = isBonded
    // BlueZ before 5.64 does not tell the two apart.
    case nil: isBonded = isPaired
    default: return nil
    }
  }

  /// Where an adapter's object is; nil for a name that is none.
  static func path(of adapter: String) -> String? {
    let isName = adapter.utf8.allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || 0x30...0x39 ~= $0 }
    guard isName, !adapter.isEmpty else { return nil }
    return "/org/bluez/\(adapter)"
  }

  /// Where a meter's object is, unless bluetoothd knew it by another address first.
  static func path(of peer: BluetoothAddress, at adapter: String) -> String? {
    path(of: adapter).map { "\($0)/dev_\(peer.description.split(separator: ":").joined(separator: "_"))" }
  }

  /// Asks for a meter's properties.
  static func call(path: String, owner: String) -> BusCall {
    BusCall(
      destination: owner, path: path, interface: "org.freedesktop.DBus.Properties", member: "GetAll",
      arguments: [.text(interface)])
  }
}

extension BusConnection {
  /// What bluetoothd knows of a meter; nil when it does not know it.
  func device(
    _ peer: BluetoothAddress, at adapter: String, owner: String, until deadline: HostInstant
  ) throws(KernelBluetoothError) -> DaemonDevice? {
    guard let path = DaemonDevice.path(of: peer, at: adapter) else { return nil }
    switch try ask(DaemonDevice.call(path: path, owner: owner), until: deadline) {
    case .success(let arguments):
      guard let device = DaemonDevice(path: path, properties: arguments.first) else { throw .daemonUnknown }
      // The same six bytes may be another device's public address.
      return device.address.value == peer.value && device.address.kind != peer.kind ? nil : device
    case .failure(let refusal) where refusal.isUnknownObject:
      return try search(peer, at: adapter, owner: owner, until: deadline)
    case .failure(let refusal): throw KernelBluetoothError(refusal, trying: "tell of \(peer)")
    }
  }

  /// A meter that changes its address keeps the object of the address at which it was first seen.
  private func search(
    _ peer: BluetoothAddress, at adapter: String, owner: String, until deadline: HostInstant
  ) throws(KernelBluetoothError) -> DaemonDevice? {
    try devices(at: adapter, owner: owner, until: deadline).first { $0.address == peer }
  }

  /// All that bluetoothd knows of at an adapter.
  func devices(
    at adapter: String, owner: String, until deadline: HostInstant
  ) throws(KernelBluetoothError) -> [DaemonDevice] {
    let call = BusCall(
      destination: owner, path: "/", interface: "org.freedesktop.DBus.ObjectManager", member: "GetManagedObjects")
    switch try ask(call, until: deadline) {
    case .success(let arguments):
      guard case .dictionary(let objects)? = arguments.first else { throw .daemonUnknown }
      return objects.compactMap { path, interfaces in
        guard path.hasPrefix("/org/bluez/\(adapter)/dev_"), case .dictionary(let interfaces) = interfaces else {
          return nil
        }
        return DaemonDevice(path: path, properties: interfaces[DaemonDevice.interface])
      }
    case .failure(let refusal): throw KernelBluetoothError(refusal, trying: "list its devices")
    }
  }
}
