package import BluetoothWire
import HostPrimitives

/// A command of the management interface (BlueZ, doc/mgmt-api.txt); the comments name its section there.
package enum ManagementCommand: Sendable, Hashable {
  /// Read Management Version Information.
  case readVersion
  /// Read Controller Index List.
  case readIndexList
  /// Read Controller Information.
  case readInformation
  /// Set Powered.
  case setPowered(Bool)
  /// Set Bondable.
  case setBondable(Bool)
  /// Set Low Energy.
  case setLowEnergy(Bool)
  /// Set Secure Connections: LE pairing by the elliptic-curve method of Bluetooth 4.2.
  case setSecureConnections(Bool)
  /// Load Long Term Keys: takes the place of all that the kernel knows for the adapter.
  case loadLongTermKeys([LongTermKey])
  /// Load Identity Resolving Keys: takes the place of all that the kernel knows for the adapter.
  case loadIdentityKeys([IdentityKey])
  /// Disconnect.
  case disconnect(BluetoothAddress)
  /// Get Connections.
  case readConnections
  /// Pair Device.
  case pair(BluetoothAddress, InputOutputCapability)
  /// Cancel Pair Device.
  case cancelPairing(BluetoothAddress)
  /// Unpair Device; `disconnects` drops the link, too.
  case unpair(BluetoothAddress, disconnects: Bool)
  /// User Confirmation Reply, or its negative form.
  case confirm(BluetoothAddress, Bool)
  /// User Passkey Reply; nil is the negative form.
  case passkey(BluetoothAddress, UInt32?)
  /// Start Discovery of LE devices, public and random addresses.
  case startDiscovery
  /// Stop Discovery of LE devices.
  case stopDiscovery
  /// Load Connection Parameters: takes the place of all that the kernel knows for the adapter.
  case loadConnectionParameters([ConnectionParameters])
  /// Add Advertisement Patterns Monitor.
  case addMonitor([AdvertisementPattern])
  /// Remove Advertisement Monitor.
  case removeMonitor(UInt16)

  /// The command's number.
  package var code: UInt16 {
    switch self {
    case .readVersion: 0x0001
    case .readIndexList: 0x0003
    case .readInformation: 0x0004
    case .setPowered: 0x0005
    case .setBondable: 0x0009
    case .setLowEnergy: 0x000D
    case .loadLongTermKeys: 0x0013
    case .disconnect: 0x0014
    case .readConnections: 0x0015
    case .pair: 0x0019
    case .cancelPairing: 0x001A
    case .unpair: 0x001B
    case .confirm(_, true): 0x001C
    case .confirm(_, false): 0x001D
    case .passkey(_, .some): 0x001E
    case .passkey(_, nil): 0x001F
    case .startDiscovery: 0x0023
    case .stopDiscovery: 0x0024
    case .setSecureConnections: 0x002D
    case .loadIdentityKeys: 0x0030
    case .loadConnectionParameters: 0x0035
    case .addMonitor: 0x0052
    case .removeMonitor: 0x0053
    }
  }

  /// What it does, for error messages.
  var words: String {
    switch self {
    case .readVersion, .readIndexList, .readInformation, .readConnections: "ask for the adapters"
    case .setPowered: "switch the adapter on"
    case .setBondable, .setLowEnergy, .setSecureConnections: "set the adapter up"
    case .loadLongTermKeys, .loadIdentityKeys: "hand the bonds to the kernel"
    case .disconnect: "drop the link"
    case .pair, .cancelPairing, .confirm, .passkey: "pair"
    case .unpair: "forget the bond"
    case .startDiscovery, .stopDiscovery, .addMonitor, .removeMonitor: "listen for meters"
    case .loadConnectionParameters: "set the connection parameters"
    }
  }

  /// The packet for an adapter.
  package func packet(index: UInt16) -> ManagementPacket {
    ManagementPacket(code: code, index: index, parameters: parameters)
  }

  /// LE public and LE random of the address types that discovery takes.
  private static let lowEnergyTypes: UInt8 = 0b110

  private var parameters: [UInt8] {
    switch self {
    case .readVersion, .readIndexList, .readInformation, .readConnections: []
    case .setPowered(let on), .setBondable(let on), .setLowEnergy(let on), .setSecureConnections(let on): [on ? 1 : 0]
    case .loadLongTermKeys(let keys): UInt16(clamping: keys.count).littleEndianBytes + keys.flatMap(\.encoded)
    case .loadIdentityKeys(let keys): UInt16(clamping: keys.count).littleEndianBytes + keys.flatMap(\.encoded)
    case .disconnect(let peer), .cancelPairing(let peer), .confirm(let peer, _), .passkey(let peer, nil):
      ManagementAddress.bytes(of: peer)
    case .pair(let peer, let capability): ManagementAddress.bytes(of: peer) + [capability.rawValue]
    case .unpair(let peer, let disconnects): ManagementAddress.bytes(of: peer) + [disconnects ? 1 : 0]
    case .passkey(let peer, let number?): ManagementAddress.bytes(of: peer) + number.littleEndianBytes
    case .startDiscovery, .stopDiscovery: [Self.lowEnergyTypes]
    case .loadConnectionParameters(let list):
      UInt16(clamping: list.count).littleEndianBytes + list.flatMap(\.encoded)
    case .addMonitor(let patterns): [UInt8(clamping: patterns.count)] + patterns.flatMap(\.encoded)
    case .removeMonitor(let handle): handle.littleEndianBytes
    }
  }
}

/// What a host can show and take in during a pairing (Core Specification, Vol 3 Part H 2.3.2).
package enum InputOutputCapability: UInt8, Sendable, Hashable {
  /// It shows numbers.
  case displayOnly = 0
  /// It shows numbers, and somebody can say yes or no.
  case displayYesNo = 1
  /// Somebody can enter numbers.
  case keyboardOnly = 2
  /// Nobody is there.
  case none = 3
  /// It shows numbers, and somebody can enter some.
  case keyboardDisplay = 4
}

/// What a link is to be like with one meter (Core Specification, Vol 4 Part E 7.8.12).
package struct ConnectionParameters: Sendable, Hashable {
  /// The meter.
  package var peer: BluetoothAddress
  /// Shortest and longest time between two connection events, in steps of 1.25 ms.
  package var interval: ClosedRange<UInt16>
  /// Events that the meter may sleep through.
  package var latency: UInt16
  /// Time without a packet after which the link counts as gone, in steps of 10 ms.
  package var supervisionTimeout: UInt16

  /// Parameters for a meter.
  package init(peer: BluetoothAddress, interval: ClosedRange<UInt16>, latency: UInt16, supervisionTimeout: UInt16) {
    self.peer = peer
    self.interval = interval
    self.latency = latency
    self.supervisionTimeout = supervisionTimeout
  }

  var encoded: [UInt8] {
    ManagementAddress.bytes(of: peer)
      + [interval.lowerBound, interval.upperBound, latency, supervisionTimeout].flatMap(\.littleEndianBytes)
  }

  init?(from reader: inout ByteReader) {
    guard let peer = ManagementAddress.take(from: &reader), let low = reader.uint16(), let high = reader.uint16(),
      low <= high, let latency = reader.uint16(), let timeout = reader.uint16()
    else { return nil }
    self.init(peer: peer, interval: low...high, latency: latency, supervisionTimeout: timeout)
  }
}

/// Bytes at one place of one structure of an advertisement.
package struct AdvertisementPattern: Sendable, Hashable {
  /// The structure's type.
  package var type: UInt8
  /// Where in its value the bytes stand.
  package var offset: UInt8
  /// The bytes; at most 31.
  package var bytes: [UInt8]

  /// A pattern.
  package init(type: UInt8, offset: UInt8 = 0, bytes: [UInt8]) {
    self.type = type
    self.offset = offset
    self.bytes = Array(bytes.prefix(31))
  }

  var encoded: [UInt8] {
    [type, offset, UInt8(bytes.count)] + bytes + Array(repeating: 0, count: 31 - bytes.count)
  }
}
