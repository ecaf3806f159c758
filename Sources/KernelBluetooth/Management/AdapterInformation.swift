package import BluetoothWire
import HostPrimitives

/// What the kernel says of an adapter (BlueZ, doc/mgmt-api.txt, "Read Controller Information Command").
package struct AdapterInformation: Sendable, Hashable {
  /// Its identity address: the public one, or a static random one.
  package var address: BluetoothAddress
  /// What it can do.
  package var supported: AdapterSettings
  /// What is switched on.
  package var current: AdapterSettings

  /// Reads the return parameters; nil when they are cut short.
  package init?(decoding bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard let address = reader.take(6), reader.take(3) != nil, let supported = reader.uint32(),
      let current = reader.uint32()
    else { return nil }
    self.supported = AdapterSettings(rawValue: supported)
    self.current = AdapterSettings(rawValue: current)
    let kind: BluetoothAddress.Kind = self.current.contains(.staticAddress) ? .random : .public
    guard let address = BluetoothAddress(littleEndian: address, kind: kind) else { return nil }
    self.address = address
  }
}

/// Settings of an adapter (BlueZ, doc/mgmt-api.txt, "Read Controller Information Command").
package struct AdapterSettings: OptionSet, Sendable, Hashable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// It is on.
  package static let powered = Self(rawValue: 1 << 0)
  /// New bonds are kept.
  package static let bondable = Self(rawValue: 1 << 4)
  /// Bluetooth LE.
  package static let lowEnergy = Self(rawValue: 1 << 9)
  /// Pairing by the elliptic-curve method.
  package static let secureConnections = Self(rawValue: 1 << 11)
  /// Its identity is a static random address.
  package static let staticAddress = Self(rawValue: 1 << 15)
}
