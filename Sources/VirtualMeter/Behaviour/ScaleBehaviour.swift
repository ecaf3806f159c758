import BluetoothWire
import HostPrimitives

/// A weight scale: indicates each weight and then its composition, each packet after the confirmation of the one before,
/// and a user's measurements only after that user's consent (Weight Scale Profile 1.0, 4; User Data Service 1.0, 3.2).
struct ScaleBehaviour: MeterBehaviour {
  private struct Entry {
    let id: Int
    let record: MeterScript.Record
  }

  /// What is on its way to the client.
  private enum Outstanding {
    case nothing
    case answer
    case packet(id: Int, isLast: Bool)
  }

  /// Op codes and response values of the User Control Point (User Data Service 1.0, 3.2.2).
  private enum Control {
    static let consent: UInt8 = 0x02
    static let response: UInt8 = 0x20
    static let success: UInt8 = 1
    static let notSupported: UInt8 = 2
    static let invalidParameter: UInt8 = 3
    static let notAuthorised: UInt8 = 5
  }

  private let options: MeterScript.Scale
  private let weight: UInt16
  private let composition: UInt16?
  private let control: UInt16?
  private var memory: [Entry]
  private var consentedSlot: UInt8?
  private var answer: [UInt8]?
  /// Packets of the record at the front that are still to be indicated.
  private var pending: ArraySlice<(handle: UInt16, value: [UInt8])> = []
  private var current: Int?
  private var confirmedIDs: Set<Int> = []
  private var outstanding = Outstanding.nothing
  /// Subscribed to, and nothing to send to this client; nil: not looked yet.
  private var isEmpty: Bool?

  init?(_ options: MeterScript.Scale, records: [MeterScript.Record], database: GATTDatabase) {
    guard let weight = database.value(of: .weightMeasurement) else { return nil }
    self.options = options
    self.weight = weight
    composition = database.value(of: .bodyCompositionMeasurement)
    control = database.value(of: .userControlPoint)
    memory = records.enumerated().map { Entry(id: $0.offset, record: $0.element) }
  }

  var recordsLeft: Int { memory.count }

  mutating func connect(clockIsUnset: Bool, reportLimit: Int?) {
    consentedSlot = nil
    answer = nil
    pending = []
    current = nil
    outstanding = .nothing
    isEmpty = nil
  }

  func refusal(handle: UInt16, value: [UInt8], server: ATTServer) -> ATTErrorCode? {
    guard handle == control else { return nil }
    guard !value.isEmpty else { return .invalidAttributeValueLength }
    guard server.isSubscribed(to: handle, by: .indicate) else { return .cccdImproperlyConfigured }
    if case .answer = outstanding { return .procedureAlreadyInProgress }
    return answer == nil ? nil : .procedureAlreadyInProgress
  }

  mutating func wrote(handle: UInt16, value: [UInt8], server: ATTServer) {
    guard handle == control, let opcode = value.first else { return }
    guard opcode == Control.consent else {
      answer = [Control.response, opcode, Control.notSupported]
      return
    }
    guard value.count == 4 else {
      answer = [Control.response, opcode, Control.invalidParameter]
      return
    }
    let code = UInt16(littleEndianBytes: value[2...3])
    let isRight = options.slots.contains { $0.index == value[1] && $0.consent == code }
    consentedSlot = isRight ? value[1] : nil
    answer = [Control.response, opcode, isRight ? Control.success : Control.notAuthorised]
  }

  mutating func next(server: ATTServer, mayIndicate: Bool) -> Outgoing? {
    guard mayIndicate else { return nil }
    if let answer, let control {
      self.answer = nil
      outstanding = .answer
      return .indication(handle: control, value: answer)
    }
    guard server.isSubscribed(to: weight, by: .indicate) else { return nil }
    if pending.isEmpty { start(server) }
    if isEmpty == nil, options.slots.isEmpty || consentedSlot != nil { isEmpty = current == nil }
    guard let current, let packet = pending.popFirst() else { return nil }
    outstanding = .packet(id: current, isLast: pending.isEmpty)
    return .indication(handle: packet.handle, value: packet.value)
  }

  mutating func confirmed() -> String? {
    defer { outstanding = .nothing }
    guard case .packet(let id, true) = outstanding else { return nil }
    confirmedIDs.insert(id)
    current = nil
    if options.deletesOnConfirmation { memory.removeAll { $0.id == id } }
    return due == nil ? "indications" : nil
  }

  mutating func ended() -> String? {
    guard isEmpty == true else { return nil }
    isEmpty = false
    return "indications"
  }

  private var due: Entry? {
    memory.first { entry in
      guard !confirmedIDs.contains(entry.id) else { return false }
      return options.slots.isEmpty || (consentedSlot != nil && entry.record.user == consentedSlot)
    }
  }

  private mutating func start(_ server: ATTServer) {
    guard let entry = due else { return }
    current = entry.id
    pending = [(weight, entry.record.measurement)]
    if let composition, server.isSubscribed(to: composition, by: .indicate) {
      pending += entry.record.composition.map { (composition, $0) }
    }
  }
}
