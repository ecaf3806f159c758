package import BluetoothWire
import HostPrimitives

/// What the kernel tells by itself (BlueZ, doc/mgmt-api.txt, "Events"). Events of devices that are not LE are left out.
package enum ManagementEvent: Sendable, Hashable {
  /// Command Complete or Command Status: the answer to the command with this number.
  case answer(command: UInt16, ManagementStatus, [UInt8])
  /// Index Added.
  case adapterAdded
  /// Index Removed.
  case adapterRemoved
  /// New Settings.
  case settings(AdapterSettings)
  /// New Long Term Key; `isToBeKept` says whether it belongs to a bond.
  case longTermKey(LongTermKey, isToBeKept: Bool)
  /// New Identity Resolving Key; `address` is the changing address that it was learnt from.
  case identityKey(IdentityKey, address: BluetoothAddress?, isToBeKept: Bool)
  /// New Connection Parameter.
  case connectionParameters(ConnectionParameters, isToBeKept: Bool)
  /// Device Connected.
  case connected(BluetoothAddress)
  /// Device Disconnected.
  case disconnected(BluetoothAddress, DisconnectReason)
  /// Connect Failed.
  case connectFailed(BluetoothAddress, ManagementStatus)
  /// Authentication Failed.
  case authenticationFailed(BluetoothAddress, ManagementStatus)
  /// User Confirmation Request; without a number nothing is to be compared.
  case confirmationRequest(BluetoothAddress, number: UInt32?)
  /// User Passkey Request.
  case passkeyRequest(BluetoothAddress)
  /// Passkey Notify: the person types this at the meter.
  case passkeyToShow(BluetoothAddress, UInt32)
  /// Device Unpaired.
  case unpaired(BluetoothAddress)
  /// Device Found, or Advertisement Monitor Device Found.
  case found(AdvertisingReport)
  /// Discovering: discovery has begun or ended.
  case discovering(Bool)

  /// Why a link ended.
  package enum DisconnectReason: UInt8, Sendable, Hashable {
    /// It is not known.
    case unspecified = 0
    /// Nothing came for too long.
    case timeout = 1
    /// This host ended it.
    case local = 2
    /// The meter ended it.
    case remote = 3
    /// Encryption or authentication failed.
    case authentication = 4
    /// This host went to sleep.
    case suspend = 5
  }

  /// Reads an event; nil for events that mean nothing here, and for those that are cut short.
  package init?(_ packet: ManagementPacket) {
    var reader = ByteReader(packet.parameters)
    switch packet.code {
    case 0x0001, 0x0002:
      guard let command = reader.uint16(), let status = reader.uint8() else { return nil }
      self = .answer(command: command, ManagementStatus(rawValue: status), Array(reader.rest))
    case 0x0004: self = .adapterAdded
    case 0x0005: self = .adapterRemoved
    case 0x0006:
      guard let settings = reader.uint32() else { return nil }
      self = .settings(AdapterSettings(rawValue: settings))
    case 0x000A, 0x0018, 0x001C: self.init(key: packet.code, &reader)
    case 0x000B...0x000D, 0x0011, 0x0016: self.init(link: packet.code, &reader)
    case 0x000F, 0x0010, 0x0017: self.init(question: packet.code, &reader)
    case 0x0012: self.init(found: &reader)
    case 0x002F:
      // The handle of the monitor that it fits.
      guard reader.take(2) != nil else { return nil }
      self.init(found: &reader)
    case 0x0013:
      guard reader.uint8() != nil, let isOn = reader.uint8() else { return nil }
      self = .discovering(isOn != 0)
    default: return nil
    }
  }

  private init?(key code: UInt16, _ reader: inout ByteReader) {
    guard let hint = reader.uint8() else { return nil }
    let isToBeKept = hint != 0
    switch code {
    case 0x000A:
      guard let key = LongTermKey(from: &reader) else { return nil }
      self = .longTermKey(key, isToBeKept: isToBeKept)
    case 0x0018:
      guard let bytes = reader.take(6), let key = IdentityKey(from: &reader) else { return nil }
      let address = BluetoothAddress(littleEndian: bytes, kind: .random)
      self = .identityKey(key, address: address?.value == 0 ? nil : address, isToBeKept: isToBeKept)
    default:
      guard let parameters = ConnectionParameters(from: &reader) else { return nil }
      self = .connectionParameters(parameters, isToBeKept: isToBeKept)
    }
  }

  private init?(link code: UInt16, _ reader: inout ByteReader) {
    guard let peer = ManagementAddress.take(from: &reader) else { return nil }
    let byte = reader.uint8()
    switch code {
    case 0x000B: self = .connected(peer)
    case 0x000C: self = .disconnected(peer, byte.flatMap(DisconnectReason.init) ?? .unspecified)
    case 0x000D: self = .connectFailed(peer, ManagementStatus(rawValue: byte ?? 0x03))
    case 0x0011: self = .authenticationFailed(peer, ManagementStatus(rawValue: byte ?? 0x03))
    case 0x0016: self = .unpaired(peer)
    default: return nil
    }
  }

  private init?(question code: UInt16, _ reader: inout ByteReader) {
    guard let peer = ManagementAddress.take(from: &reader) else { return nil }
    switch code {
    case 0x000F:
      guard let hint = reader.uint8(), let number = reader.uint32() else { return nil }
      self = .confirmationRequest(peer, number: hint == 0 ? number : nil)
    case 0x0010: self = .passkeyRequest(peer)
    default:
      guard let number = reader.uint32() else { return nil }
      self = .passkeyToShow(peer, number)
    }
  }

  /// Flags of Device Found: the device takes no connection.
  private static let notConnectable: UInt32 = 1 << 2

  private init?(found reader: inout ByteReader) {
    guard let peer = ManagementAddress.take(from: &reader), let rssi = reader.uint8(), let flags = reader.uint32(),
      let length = reader.uint16(), let data = reader.take(Int(length))
    else { return nil }
    self = .found(
      AdvertisingReport(
        eventType: flags & Self.notConnectable == 0 ? .connectable : .nonconnectable, address: peer,
        rssi: Int8(bitPattern: rssi), data: Array(data)))
  }
}
