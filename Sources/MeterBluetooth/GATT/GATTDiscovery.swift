import BluetoothWire
import HostPrimitives

/// Finds the services, characteristics and configuration descriptors that a driver uses, and nothing else: a meter stays
/// awake for seconds.
struct GATTDiscovery {
  /// Most requests that one discovery may cost; a server that keeps answering beyond it lies about its database.
  static let maximumRequests = 256

  let client: GATTClient
  private var requests = 0

  init(client: GATTClient) { self.client = client }

  /// Looks up each required service by its UUID, then its characteristics, then missing descriptors.
  ///
  /// - Throws: ``GATTError``: `missing` names what the meter lacks; `malformed` when it lies about handles.
  mutating func discover(_ requirements: [GATTRequirement]) async throws(GATTError) -> GATTDatabase {
    var database = GATTDatabase()
    for requirement in requirements {
      guard let range = try await findService(requirement.service) else {
        guard requirement.isRequired else { continue }
        throw GATTError(.missing, "the meter has no service \(requirement.service), which its driver needs")
      }
      let index = database.services.count
      database.services.append(
        .init(uuid: requirement.service, firstHandle: range.first, lastHandle: range.last))
      database.characteristics += try await findCharacteristics(requirement, in: range, serviceIndex: index)
    }
    database.characteristics.sort { $0.valueHandle < $1.valueHandle }
    return database
  }

  /// Discover Primary Service by Service UUID (Core Specification, Vol 3 Part G 4.4.2); the first instance is enough.
  private mutating func findService(_ uuid: BluetoothUUID) async throws(GATTError) -> ATTHandleRange? {
    let value = uuid.uint16 != nil ? uuid.littleEndianBytes : uuid.fullLittleEndianBytes
    let response = try await ask(.findByTypeValueRequest(range: .all, type: 0x2800, value: value))
    guard let response else { return nil }
    guard case .findByTypeValueResponse(let ranges) = response, let range = ranges.first, range.isValid else {
      throw GATTError(.malformed, "the meter answered the search for service \(uuid) with invalid handles")
    }
    return range
  }

  /// Discover All Characteristics of a Service (4.6.1), ended as soon as everything wanted has been seen.
  private mutating func findCharacteristics(
    _ requirement: GATTRequirement, in range: ATTHandleRange, serviceIndex: Int
  ) async throws(GATTError) -> [GATTDatabase.Characteristic] {
    var declarations: [Declaration] = []
    var next = range.first
    var missing = Set(requirement.characteristics.map(\.uuid))
    // A characteristic has two handles at least.
    while !missing.isEmpty, next < range.last {
      let page = ATTHandleRange(first: next, last: range.last)
      guard let response = try await ask(.readByTypeRequest(range: page, type: 0x2803)) else { break }
      guard case .readByTypeResponse(let attributes) = response, !attributes.isEmpty else {
        throw GATTError(.malformed, "the meter sent an empty list of characteristics")
      }
      for attribute in attributes {
        let declaration = try Declaration(attribute, in: page, after: declarations.last?.valueHandle)
        declarations.append(declaration)
        missing.remove(declaration.uuid)
      }
      guard let last = declarations.last, last.valueHandle < range.last else { break }
      next = last.valueHandle + 1
    }
    return try await resolve(declarations, requirement, range, serviceIndex)
  }

  private mutating func resolve(
    _ declarations: [Declaration], _ requirement: GATTRequirement, _ range: ATTHandleRange, _ serviceIndex: Int
  ) async throws(GATTError) -> [GATTDatabase.Characteristic] {
    var found: [GATTDatabase.Characteristic] = []
    for wanted in requirement.characteristics {
      guard let index = declarations.firstIndex(where: { $0.uuid == wanted.uuid }) else {
        guard wanted.isRequired else { continue }
        throw GATTError(
          .missing,
          "the meter's service \(requirement.service) has no characteristic \(wanted.uuid), which its driver needs")
      }
      let declaration = declarations[index]
      let end = index + 1 < declarations.count ? declarations[index + 1].handle - 1 : range.last
      var configuration: UInt16?
      if declaration.isSubscribable {
        configuration = try await findConfiguration(after: declaration.valueHandle, end: end)
      }
      found.append(
        .init(
          serviceIndex: serviceIndex, uuid: wanted.uuid, valueHandle: declaration.valueHandle,
          properties: declaration.properties, configurationHandle: configuration))
    }
    return found
  }

  /// Discover All Characteristic Descriptors (4.7.1), ended at the configuration descriptor.
  private mutating func findConfiguration(after handle: UInt16, end: UInt16) async throws(GATTError) -> UInt16? {
    var next = UInt32(handle) + 1
    while next <= UInt32(end) {
      let range = ATTHandleRange(first: UInt16(next), last: end)
      guard let response = try await ask(.findInformationRequest(range: range)) else { return nil }
      guard case .findInformationResponse(let information) = response, let last = information.last else {
        throw GATTError(.malformed, "the meter sent an empty list of descriptors")
      }
      var previous: UInt16?
      for entry in information {
        guard range.contains(entry.handle), previous.map({ $0 < entry.handle }) ?? true else {
          throw GATTError(
            .malformed, "the meter listed descriptor handle \(entry.handle) outside \(range.first)...\(end)")
        }
        if entry.type == 0x2902 { return entry.handle }
        // The next declaration: this characteristic has no configuration descriptor.
        if entry.type == 0x2803 || entry.type == 0x2800 || entry.type == 0x2801 { return nil }
        previous = entry.handle
      }
      next = UInt32(last.handle) + 1
    }
    return nil
  }

  /// Asks; nil when the meter says that there is nothing more.
  private mutating func ask(_ pdu: ATTPDU) async throws(GATTError) -> ATTPDU? {
    requests += 1
    guard requests <= Self.maximumRequests else {
      throw GATTError(.malformed, "the meter's database does not end after \(Self.maximumRequests) requests")
    }
    do {
      return try await client.ask(pdu)
    } catch {
      guard case .attribute(.attributeNotFound) = error.code else { throw error }
      return nil
    }
  }
}

/// A characteristic declaration (Core Specification, Vol 3 Part G 3.3.1), checked against what was asked.
private struct Declaration {
  let handle: UInt16
  let properties: UInt8
  let valueHandle: UInt16
  let uuid: BluetoothUUID

  init(_ attribute: ATTAttributeValue, in range: ATTHandleRange, after previous: UInt16?) throws(GATTError) {
    let value = attribute.value
    guard value.count == 5 || value.count == 19, let uuid = BluetoothUUID(littleEndian: value[3...]) else {
      throw GATTError(.malformed, "a characteristic declaration has \(value.count) bytes; 5 or 19 are allowed")
    }
    handle = attribute.handle
    properties = value[0]
    valueHandle = UInt16(littleEndianBytes: value[1...2])
    self.uuid = uuid
    guard range.contains(handle), range.contains(valueHandle), valueHandle > handle,
      previous.map({ $0 < handle }) ?? true
    else {
      throw GATTError(
        .malformed, "characteristic \(uuid) has handles \(handle) and \(valueHandle), which do not follow one another")
    }
  }

  var isSubscribable: Bool { properties & 0x30 != 0 }
}
