import BluetoothWire
import HostPrimitives

/// What a capture tells of a meter's GATT database: put together from the answers to whoever looked for services,
/// characteristics and descriptors.
struct CapturedDatabase {
  /// A characteristic's declaration (Core Specification, Vol 3 Part G 3.3.1).
  struct Declaration: Hashable {
    let properties: UInt8
    let valueHandle: UInt16
    let uuid: BluetoothUUID
  }

  /// First and last handle of each service that was seen.
  private(set) var services: [UInt16: (last: UInt16, uuid: BluetoothUUID)] = [:]
  /// By the handle of the declaration.
  private(set) var declarations: [UInt16: Declaration] = [:]
  /// Handles whose type is Client Characteristic Configuration.
  private(set) var configurations: Set<UInt16> = []
  /// Values that were read by their type, such as those of Device Information.
  private(set) var valuesByType: [BluetoothUUID: [UInt8]] = [:]
  /// What the value of a handle is.
  private var types: [UInt16: BluetoothUUID] = [:]

  private static let (primary, characteristic, configuration): (UInt16, BluetoothUUID, BluetoothUUID) =
    (0x2800, 0x2803, 0x2902)

  init() {}

  mutating func learn(_ request: ATTPDU, _ answer: ATTPDU) {
    switch (request, answer) {
    case (.findByTypeValueRequest(_, Self.primary, let value), .findByTypeValueResponse(let ranges)):
      guard let uuid = BluetoothUUID(littleEndian: value) else { return }
      for range in ranges where range.isValid { services[range.first] = (range.last, uuid) }
    case (.readByGroupTypeRequest(_, let type), .readByGroupTypeResponse(let groups))
    where type == BluetoothUUID(Self.primary):
      for group in groups where group.range.isValid {
        if let uuid = BluetoothUUID(littleEndian: group.value) {
          services[group.range.first] = (group.range.last, uuid)
        }
      }
    case (.readByTypeRequest(_, Self.characteristic), .readByTypeResponse(let attributes)):
      for attribute in attributes { declare(attribute) }
    case (.readByTypeRequest(_, let type), .readByTypeResponse(let attributes)):
      if let value = attributes.first?.value { valuesByType[type] = value }
    case (.findInformationRequest, .findInformationResponse(let entries)):
      for entry in entries where entry.type == Self.configuration { configurations.insert(entry.handle) }
    case (.readRequest(let handle), .readResponse(let value)):
      if let uuid = types[handle] { valuesByType[uuid] = value }
    default: break
    }
  }

  private mutating func declare(_ attribute: ATTAttributeValue) {
    let value = attribute.value
    guard value.count == 5 || value.count == 19, let uuid = BluetoothUUID(littleEndian: value[3...]) else { return }
    let handle = UInt16(littleEndianBytes: value[1...2])
    guard handle > attribute.handle else { return }
    declarations[attribute.handle] = Declaration(properties: value[0], valueHandle: handle, uuid: uuid)
    types[handle] = uuid
  }

  /// Handles that switch values on and off, with the value's handle. Without a look at the descriptors, one of the two handles
  /// behind a value that can be switched on counts as its configuration.
  var subscriptions: [UInt16: UInt16] {
    let values = declarations.values.sorted { $0.valueHandle < $1.valueHandle }
    var found: [UInt16: UInt16] = [:]
    for (index, value) in values.enumerated() where value.properties & 0x30 != 0 {
      let end = index + 1 < values.count ? Int(values[index + 1].valueHandle) : 0x1_0000
      for handle in Int(value.valueHandle) + 1...Int(value.valueHandle) + 2 where handle < end {
        found[UInt16(handle)] = value.valueHandle
      }
    }
    var index = 0
    for handle in configurations.sorted() {
      while index + 1 < values.count, values[index + 1].valueHandle < handle { index += 1 }
      guard index < values.count, values[index].valueHandle < handle, values[index].properties & 0x30 != 0,
        index + 1 == values.count || values[index + 1].valueHandle != handle
      else { continue }
      found[handle] = values[index].valueHandle
    }
    return found
  }

  /// The part that a driver uses, as discovery would have found it.
  ///
  /// - Throws: ``CaptureError/Code/unresolved`` that names what is missing.
  func database(_ requirements: [GATTRequirement]) throws(CaptureError) -> GATTDatabase {
    var database = GATTDatabase()
    for requirement in requirements {
      guard let (first, found) = services.filter({ $0.value.uuid == requirement.service }).min(by: { $0.key < $1.key })
      else {
        guard requirement.isRequired else { continue }
        throw unresolved("service \(requirement.service)")
      }
      let index = database.services.count
      database.services.append(.init(uuid: requirement.service, firstHandle: first, lastHandle: found.last))
      for wanted in requirement.characteristics {
        let inside = declarations.filter { ($0.key >= first && $0.key <= found.last) && $0.value.uuid == wanted.uuid }
        guard let (_, declaration) = inside.min(by: { $0.key < $1.key }) else {
          guard wanted.isRequired else { continue }
          throw unresolved("characteristic \(wanted.uuid) of service \(requirement.service)")
        }
        database.characteristics.append(
          .init(
            serviceIndex: index, uuid: wanted.uuid, valueHandle: declaration.valueHandle,
            properties: declaration.properties, configurationHandle: nil))
      }
    }
    database.characteristics.sort { $0.valueHandle < $1.valueHandle }
    return database
  }

  private func unresolved(_ what: String) -> CaptureError {
    let why =
      services.isEmpty && declarations.isEmpty
      ? "nobody looked for the meter's services while it was made: the phone knew them. Forget the meter on the phone, or "
        + "switch its Bluetooth off and on, and capture again"
      : "the meter does not have it, or nobody looked for it; check the peripheral's number"
    return CaptureError(.unresolved, "the capture does not say where \(what) is: \(why)")
  }
}
