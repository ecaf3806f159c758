import BluetoothWire
import HostPrimitives

/// The attributes of a meter, in the order of their handles, without gaps from handle 1 on.
struct GATTDatabase: Sendable {
  struct Attribute: Sendable {
    let type: BluetoothUUID
    var value: [UInt8]
    let role: Role
    /// The properties of the characteristic that the attribute belongs to.
    var properties: CharacteristicProperties = .read
    var requires: MeterScript.Security = .none
  }

  enum Role: Sendable, Equatable {
    /// A declaration or descriptor: readable by everybody, never writable.
    case declaration
    /// A service declaration with the last handle of the service.
    case service(end: UInt16)
    /// A characteristic's value.
    case value
    /// The CCCD of the value with this handle.
    case configuration(ofValue: UInt16)
  }

  private(set) var attributes: [Attribute] = []
  /// The last handle of what never moves.
  private(set) var fixedEnd: UInt16 = 0

  /// - Parameter inserted: Services that stand in front of the script's by now.
  init(script: MeterScript, inserted: [MeterScript.Service] = []) {
    if let service = script.caching?.service { append(service) }
    fixedEnd = lastHandle
    for service in inserted + script.services { append(service) }
    guard script.caching?.hasHash == true, let handle = value(of: .databaseHash) else { return }
    setValue(DatabaseHash.of(attributes.enumerated().map { (UInt16($0.offset + 1), $0.element) }), of: handle)
  }

  var lastHandle: UInt16 { UInt16(attributes.count) }

  subscript(handle: UInt16) -> Attribute? {
    handle >= 1 && handle <= attributes.count ? attributes[Int(handle) - 1] : nil
  }

  /// The attributes of a range, with their handles.
  func attributes(in range: ATTHandleRange) -> some Sequence<(handle: UInt16, attribute: Attribute)> {
    let first = Int(range.first) - 1
    let end = min(Int(range.last), attributes.count)
    return (min(first, end)..<end).lazy.map { (UInt16($0 + 1), attributes[$0]) }
  }

  /// The handle of the first characteristic value with this UUID.
  func value(of characteristic: BluetoothUUID) -> UInt16? {
    attributes.firstIndex { $0.role == .value && $0.type == characteristic }.map { UInt16($0 + 1) }
  }

  /// The handle of a value's CCCD.
  func configuration(ofValue handle: UInt16) -> UInt16? {
    attributes.firstIndex { $0.role == .configuration(ofValue: handle) }.map { UInt16($0 + 1) }
  }

  mutating func setValue(_ value: [UInt8], of handle: UInt16) {
    if self[handle] != nil { attributes[Int(handle) - 1].value = value }
  }

  private mutating func append(_ service: MeterScript.Service) {
    let size = service.characteristics.reduce(1) { $0 + Self.size(of: $1) }
    let end = lastHandle + UInt16(size)
    attributes.append(
      Attribute(type: .primaryService, value: service.uuid.littleEndianBytes, role: .service(end: end)))
    for characteristic in service.characteristics { append(characteristic) }
  }

  private static func size(of characteristic: MeterScript.Characteristic) -> Int {
    2 + characteristic.descriptors.count + (characteristic.properties.isDisjoint(with: [.notify, .indicate]) ? 0 : 1)
  }

  private mutating func append(_ characteristic: MeterScript.Characteristic) {
    let handle = lastHandle + 2
    // Properties, handle of the value, UUID (Core Vol 3 Part G 3.3.1).
    let declaration =
      [characteristic.properties.rawValue] + handle.littleEndianBytes
      + characteristic.uuid.littleEndianBytes
    attributes.append(Attribute(type: .characteristic, value: declaration, role: .declaration))
    attributes.append(
      Attribute(
        type: characteristic.uuid, value: characteristic.value, role: .value, properties: characteristic.properties,
        requires: characteristic.requires))
    if !characteristic.properties.isDisjoint(with: [.notify, .indicate]) {
      attributes.append(
        Attribute(
          type: .clientCharacteristicConfiguration, value: [0, 0], role: .configuration(ofValue: handle),
          properties: characteristic.properties, requires: characteristic.requires))
    }
    for descriptor in characteristic.descriptors {
      attributes.append(Attribute(type: descriptor.uuid, value: descriptor.value, role: .declaration))
    }
  }
}
