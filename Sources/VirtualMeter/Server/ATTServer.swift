import BluetoothWire
import HostPrimitives

/// The server's side of one ATT link: requests in, answers out (Core Vol 3 Part F 3.4, Part G 4).
///
/// A pure value that answers whatever a client sends: malformed requests with Invalid PDU, unknown ones with Request Not
/// Supported, and PDUs that no client sends with nothing.
struct ATTServer: Sendable {
  /// What a packet led to.
  struct Outcome {
    var reply: ATTPDU?
    /// Values that were accepted, in their order.
    var writes: [(handle: UInt16, value: [UInt8])] = []
    /// Whether the client confirmed an indication.
    var confirmed = false
  }

  /// Asked before a value is written; a code refuses it.
  typealias Refusal = (_ handle: UInt16, _ value: [UInt8]) -> ATTErrorCode?

  private(set) var database: GATTDatabase
  /// The services that a move has put in front of the script's.
  private var inserted: [MeterScript.Service] = []
  private let script: MeterScript
  /// By how much the attributes of the script's services stand behind the handles that a behaviour knows them by.
  private(set) var shift: UInt16 = 0
  private let maximumMTU: Int
  /// Whether the link is encrypted, or as good as that.
  var isSecure: Bool
  private let keepsSubscriptions: Bool
  /// The size of the largest PDU of this link, in bytes.
  private(set) var mtu = ATTPDU.defaultMTU
  private var configurations: [UInt16: UInt16] = [:]
  private var prepared: [(handle: UInt16, offset: UInt16, value: [UInt8])] = []
  private static let preparedLimit = 64

  init(script: MeterScript) {
    self.script = script
    database = GATTDatabase(script: script)
    maximumMTU = script.mtu
    isSecure = script.bonded
    keepsSubscriptions = script.bonded
  }

  /// Gives an attribute a value of the meter's own.
  mutating func setValue(_ value: [UInt8], of handle: UInt16) { database.setValue(value, of: handle) }

  /// Forgets what belongs to a link: MTU, prepared writes, and subscriptions without a bond (Core Vol 3 Part G 3.3.3.3).
  mutating func reset() {
    mtu = ATTPDU.defaultMTU
    prepared = []
    if !keepsSubscriptions { configurations = [:] }
  }

  /// Whether the client subscribed to notifications (bit 0) or indications (bit 1) of a value, whose handle is as a
  /// behaviour knows it.
  func isSubscribed(to handle: UInt16, by property: CharacteristicProperties) -> Bool {
    isSubscribed(toMoved: handle + shift, by: property)
  }

  /// Handle of Service Changed, if the client has subscribed to it.
  var heardServiceChanged: UInt16? {
    guard script.caching?.hasServiceChanged == true, let handle = database.value(of: .serviceChanged),
      isSubscribed(toMoved: handle, by: .indicate)
    else { return nil }
    return handle
  }

  /// The handle by which a behaviour knows an attribute.
  func scriptedHandle(_ handle: UInt16) -> UInt16 { handle > database.fixedEnd + shift ? handle - shift : 0 }

  /// Puts services in front of the script's: their attributes move, with their values and subscriptions.
  ///
  /// - Returns: The handles that are affected.
  mutating func move(inserting services: [MeterScript.Service]) -> ATTHandleRange {
    let old = database
    inserted = services + inserted
    database = GATTDatabase(script: script, inserted: inserted)
    let step = database.lastHandle - old.lastHandle
    shift += step
    for (handle, attribute) in old.attributes(in: ATTHandleRange(first: old.fixedEnd + 1, last: 0xFFFF))
    where attribute.role == .value { database.setValue(attribute.value, of: handle + step) }
    configurations = Dictionary(
      configurations.map { ($0.key > old.fixedEnd ? $0.key + step : $0.key, $0.value) },
      uniquingKeysWith: { first, _ in first })
    return ATTHandleRange(first: database.fixedEnd + 1, last: 0xFFFF)
  }

  private func isSubscribed(toMoved handle: UInt16, by property: CharacteristicProperties) -> Bool {
    guard let configuration = database.configuration(ofValue: handle) else { return false }
    return (configurations[configuration] ?? 0) & (property == .notify ? 1 : 2) != 0
  }

  /// Handles one packet.
  mutating func receive(_ packet: [UInt8], refusal: Refusal) -> Outcome {
    guard let first = packet.first else { return Outcome() }
    let opcode = ATTOpcode(rawValue: first)
    do throws(ATTDecodingError) {
      let pdu = try ATTPDU(decoding: packet)
      guard packet.count <= mtu || !opcode.isRequest else { return Outcome(reply: error(opcode, .invalidPDU)) }
      return answer(pdu, refusal: refusal)
    } catch {
      return Outcome(reply: refused(opcode, error))
    }
  }

  private func refused(_ opcode: ATTOpcode, _ decoding: ATTDecodingError) -> ATTPDU? {
    if opcode.isRequest { return error(opcode, .invalidPDU) }
    // Commands are never answered, nor are malformed responses and confirmations.
    guard decoding.code == .unknownOpcode, !opcode.isCommand else { return nil }
    return error(opcode, .requestNotSupported)
  }

  func error(_ request: ATTOpcode, _ code: ATTErrorCode, handle: UInt16 = 0) -> ATTPDU {
    .errorResponse(request: request, handle: handle, code: code)
  }

  private mutating func answer(_ pdu: ATTPDU, refusal: Refusal) -> Outcome {
    switch pdu {
    case .exchangeMTURequest(let clientMTU):
      mtu = max(ATTPDU.defaultMTU, min(Int(clientMTU), maximumMTU))
      return Outcome(reply: .exchangeMTUResponse(serverMTU: UInt16(maximumMTU)))
    case .findInformationRequest(let range): return Outcome(reply: findInformation(range))
    case .findByTypeValueRequest(let range, let type, let value):
      return Outcome(reply: findByTypeValue(range, BluetoothUUID(type), value))
    case .readByTypeRequest(let range, let type): return Outcome(reply: readByType(range, type))
    case .readByGroupTypeRequest(let range, let type): return Outcome(reply: readByGroupType(range, type))
    case .readRequest(let handle): return Outcome(reply: read(handle))
    case .readBlobRequest(let handle, let offset): return Outcome(reply: readBlob(handle, offset))
    case .readMultipleRequest(let handles): return Outcome(reply: readMultiple(handles))
    case .writeRequest(let handle, let value): return write(handle, value, refusal)
    case .writeCommand(let handle, let value): return writeCommand(handle, value, refusal)
    case .prepareWriteRequest(let handle, let offset, let value):
      return Outcome(reply: prepare(handle, offset, value))
    case .executeWriteRequest(let commit): return execute(commit, refusal)
    case .handleValueConfirmation: return Outcome(confirmed: true)
    default: return Outcome()
    }
  }

  // MARK: Reading

  private func readByType(_ range: ATTHandleRange, _ type: BluetoothUUID) -> ATTPDU {
    guard range.isValid else { return error(.readByTypeRequest, .invalidHandle, handle: range.first) }
    var list: [ATTAttributeValue] = []
    for (handle, attribute) in database.attributes(in: range) where attribute.type == type {
      if let code = readRefusal(attribute) {
        if list.isEmpty { return error(.readByTypeRequest, code, handle: handle) }
        break
      }
      let value = Array(current(handle, attribute).prefix(min(mtu - 4, 253)))
      let size = list.first?.value.count ?? value.count
      guard value.count == size, 2 + (list.count + 1) * (size + 2) <= mtu else { break }
      list.append(ATTAttributeValue(handle: handle, value: value))
    }
    return list.isEmpty
      ? error(.readByTypeRequest, .attributeNotFound, handle: range.first) : .readByTypeResponse(list)
  }

  private func read(_ handle: UInt16) -> ATTPDU {
    guard let attribute = database[handle] else { return error(.readRequest, .invalidHandle, handle: handle) }
    if let code = readRefusal(attribute) { return error(.readRequest, code, handle: handle) }
    return .readResponse(value: Array(current(handle, attribute).prefix(mtu - 1)))
  }

  private func readBlob(_ handle: UInt16, _ offset: UInt16) -> ATTPDU {
    guard let attribute = database[handle] else { return error(.readBlobRequest, .invalidHandle, handle: handle) }
    if let code = readRefusal(attribute) { return error(.readBlobRequest, code, handle: handle) }
    let value = current(handle, attribute)
    guard Int(offset) <= value.count else { return error(.readBlobRequest, .invalidOffset, handle: handle) }
    return .readBlobResponse(value: Array(value.dropFirst(Int(offset)).prefix(mtu - 1)))
  }

  private func readMultiple(_ handles: [UInt16]) -> ATTPDU {
    var values: [UInt8] = []
    for handle in handles {
      guard let attribute = database[handle] else { return error(.readMultipleRequest, .invalidHandle, handle: handle) }
      if let code = readRefusal(attribute) { return error(.readMultipleRequest, code, handle: handle) }
      values += current(handle, attribute)
    }
    return .readMultipleResponse(values: Array(values.prefix(mtu - 1)))
  }

  private func current(_ handle: UInt16, _ attribute: GATTDatabase.Attribute) -> [UInt8] {
    guard case .configuration = attribute.role else { return attribute.value }
    let value = configurations[handle] ?? 0
    return value.littleEndianBytes
  }

  func readRefusal(_ attribute: GATTDatabase.Attribute) -> ATTErrorCode? {
    switch attribute.role {
    case .declaration, .service, .configuration: nil
    case .value: attribute.properties.contains(.read) ? securityRefusal(attribute) : .readNotPermitted
    }
  }

  private func securityRefusal(_ attribute: GATTDatabase.Attribute) -> ATTErrorCode? {
    switch attribute.requires {
    case .encryption where !isSecure: .insufficientEncryption
    case .authentication where !isSecure: .insufficientAuthentication
    default: nil
    }
  }

  // MARK: Writing

  private func writeRefusal(
    _ handle: UInt16, _ value: [UInt8], _ property: CharacteristicProperties, _ refusal: Refusal
  ) -> ATTErrorCode? {
    guard let attribute = database[handle] else { return .invalidHandle }
    switch attribute.role {
    case .declaration, .service: return .writeNotPermitted
    case .configuration:
      if let code = securityRefusal(attribute) { return code }
      guard value.count == 2 else { return .invalidAttributeValueLength }
      let allowed: UInt8 =
        (attribute.properties.contains(.notify) ? 1 : 0) | (attribute.properties.contains(.indicate) ? 2 : 0)
      return value[0] & ~allowed == 0 && value[1] == 0 ? nil : .valueNotAllowed
    case .value:
      guard attribute.properties.contains(property) else { return .writeNotPermitted }
      if let code = securityRefusal(attribute) { return code }
      guard value.count <= ATTPDU.maximumValueLength else { return .invalidAttributeValueLength }
      return refusal(handle, value)
    }
  }

  private mutating func store(_ handle: UInt16, _ value: [UInt8]) {
    if case .configuration = database[handle]?.role {
      configurations[handle] = UInt16(littleEndianBytes: value[..<2])
    } else {
      database.setValue(value, of: handle)
    }
  }

  private mutating func write(_ handle: UInt16, _ value: [UInt8], _ refusal: Refusal) -> Outcome {
    if let code = writeRefusal(handle, value, .write, refusal) {
      return Outcome(reply: error(.writeRequest, code, handle: handle))
    }
    store(handle, value)
    return Outcome(reply: .writeResponse, writes: [(handle, value)])
  }

  private mutating func writeCommand(_ handle: UInt16, _ value: [UInt8], _ refusal: Refusal) -> Outcome {
    guard writeRefusal(handle, value, .writeWithoutResponse, refusal) == nil else { return Outcome() }
    store(handle, value)
    return Outcome(writes: [(handle, value)])
  }

  private mutating func prepare(_ handle: UInt16, _ offset: UInt16, _ value: [UInt8]) -> ATTPDU {
    guard let attribute = database[handle] else { return error(.prepareWriteRequest, .invalidHandle, handle: handle) }
    // A CCCD is two bytes; nobody needs to prepare it.
    guard attribute.role == .value, attribute.properties.contains(.write) else {
      return error(.prepareWriteRequest, .writeNotPermitted, handle: handle)
    }
    if let code = securityRefusal(attribute) { return error(.prepareWriteRequest, code, handle: handle) }
    guard prepared.count < Self.preparedLimit else {
      return error(.prepareWriteRequest, .prepareQueueFull, handle: handle)
    }
    prepared.append((handle, offset, value))
    return .prepareWriteResponse(handle: handle, offset: offset, value: value)
  }

  private mutating func execute(_ commit: Bool, _ refusal: Refusal) -> Outcome {
    let queue = prepared
    prepared = []
    guard commit else { return Outcome(reply: .executeWriteResponse) }
    var writes: [(handle: UInt16, value: [UInt8])] = []
    for part in queue {
      if writes.last?.handle != part.handle { writes.append((part.handle, [])) }
      let written = writes[writes.count - 1].value
      guard Int(part.offset) <= written.count else {
        return Outcome(reply: error(.executeWriteRequest, .invalidOffset, handle: part.handle))
      }
      writes[writes.count - 1].value = written.prefix(Int(part.offset)) + part.value
    }
    for write in writes {
      if let code = writeRefusal(write.handle, write.value, .write, refusal) {
        return Outcome(reply: error(.executeWriteRequest, code, handle: write.handle))
      }
    }
    for write in writes { store(write.handle, write.value) }
    return Outcome(reply: .executeWriteResponse, writes: writes)
  }
}
