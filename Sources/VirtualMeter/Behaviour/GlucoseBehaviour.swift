import BluetoothWire
import HostPrimitives

/// A glucose meter's memory behind a Record Access Control Point (Glucose Service 1.0.1, 3.4).
struct GlucoseBehaviour: MeterBehaviour {
  private enum Phase {
    case idle
    /// Records are on their way; `sent` are the ones that left.
    case reporting(queue: ArraySlice<Entry>, context: [UInt8]?, sent: [Int])
    /// The response is to be indicated.
    case responding(value: [UInt8], sent: [Int])
    /// The response waits for its confirmation.
    case indicated(sent: [Int])
  }

  private struct Entry {
    let id: Int
    let record: MeterScript.Record
  }

  private let options: MeterScript.Glucose
  private let measurement: UInt16
  private let context: UInt16?
  private let control: UInt16
  private var memory: [Entry]
  private var phase = Phase.idle
  private var clockIsUnset = false
  private var reportLimit: Int?

  init?(_ options: MeterScript.Glucose, records: [MeterScript.Record], database: GATTDatabase) {
    guard let measurement = database.value(of: .glucoseMeasurement),
      let control = database.value(of: .recordAccessControlPoint)
    else { return nil }
    self.options = options
    self.measurement = measurement
    self.control = control
    context = database.value(of: .glucoseMeasurementContext)
    memory = records.enumerated().map { Entry(id: $0.offset, record: $0.element) }
  }

  var recordsLeft: Int { memory.count }

  mutating func connect(clockIsUnset: Bool, reportLimit: Int?) {
    phase = .idle
    self.clockIsUnset = clockIsUnset
    self.reportLimit = reportLimit
  }

  func refusal(handle: UInt16, value: [UInt8], server: ATTServer) -> ATTErrorCode? {
    guard handle == control else { return nil }
    guard let opcode = value.first else { return .invalidAttributeValueLength }
    guard server.isSubscribed(to: control, by: .indicate),
      opcode != RACP.Opcode.report || server.isSubscribed(to: measurement, by: .notify)
    else { return .cccdImproperlyConfigured }
    switch phase {
    case .idle: return nil
    case .reporting: return opcode == RACP.Opcode.abort ? nil : .procedureAlreadyInProgress
    // Nothing is left to abort, but the response is still on its way.
    case .responding, .indicated: return .procedureAlreadyInProgress
    }
  }

  mutating func wrote(handle: UInt16, value: [UInt8], server: ATTServer) {
    guard handle == control, let opcode = value.first else { return }
    if let refusal = options.refusals.first(where: { $0.matches(value) }) {
      return respond([RACP.Opcode.response, 0, opcode, refusal.response])
    }
    switch opcode {
    case RACP.Opcode.abort: abort(value)
    case RACP.Opcode.report, RACP.Opcode.delete, RACP.Opcode.count: begin(opcode, value)
    default: respond(to: opcode, .opcodeNotSupported)
    }
  }

  mutating func next(server: ATTServer, mayIndicate: Bool) -> Outgoing? {
    switch phase {
    case .idle, .indicated: return nil
    case .reporting(let queue, let pending?, let sent):
      phase = .reporting(queue: queue, context: nil, sent: sent)
      guard let context, server.isSubscribed(to: context, by: .notify) else {
        return next(server: server, mayIndicate: mayIndicate)
      }
      return .notification(handle: context, value: pending)
    case .reporting(var queue, nil, let sent):
      if let reportLimit, sent.count >= reportLimit {
        respond(to: RACP.Opcode.report, .procedureNotCompleted, sent: sent)
        return next(server: server, mayIndicate: mayIndicate)
      }
      guard let entry = queue.popFirst() else {
        respond(to: RACP.Opcode.report, .success, sent: sent)
        return next(server: server, mayIndicate: mayIndicate)
      }
      phase = .reporting(queue: queue, context: entry.record.context, sent: sent + [entry.id])
      return .notification(handle: measurement, value: stamped(entry.record.measurement))
    case .responding(let value, let sent):
      guard mayIndicate else { return nil }
      phase = .indicated(sent: sent)
      return .indication(handle: control, value: value)
    }
  }

  mutating func confirmed() -> String? {
    guard case .indicated(let sent) = phase else { return nil }
    phase = .idle
    if options.deletesOnConfirmation {
      let gone = Set(sent)
      memory.removeAll { gone.contains($0.id) }
    }
    return "racp"
  }

  private mutating func begin(_ opcode: UInt8, _ request: [UInt8]) {
    let selected: [Entry]
    switch RACP.selection(request) {
    case .failure(let refusal): return respond(to: opcode, refusal.response)
    case .success(let selection): selected = entries(selection)
    }
    if opcode == RACP.Opcode.count {
      let count = selected.count.littleEndianBytes.prefix(options.countWidth)
      return respond([RACP.Opcode.countResponse, 0] + count)
    }
    guard !selected.isEmpty else { return respond(to: opcode, .noRecordsFound) }
    if opcode == RACP.Opcode.delete {
      let gone = Set(selected.map(\.id))
      memory.removeAll { gone.contains($0.id) }
      return respond(to: opcode, .success)
    }
    let queue = options.order == .oldestFirst ? selected : selected.reversed()
    phase = .reporting(queue: queue[...], context: nil, sent: [])
  }

  private func entries(_ selection: RACP.Selection) -> [Entry] {
    switch selection {
    case .all: memory
    case .sequence(let range): memory.filter { range.contains($0.record.sequence) }
    case .first: Array(memory.prefix(1))
    case .last: Array(memory.suffix(1))
    }
  }

  private mutating func abort(_ request: [UInt8]) {
    guard request == [RACP.Opcode.abort, 0] else {
      return respond(to: RACP.Opcode.abort, request.count < 2 || request[1] != 0 ? .invalidOperator : .invalidOperand)
    }
    guard case .reporting = phase else { return respond(to: RACP.Opcode.abort, .abortUnsuccessful) }
    // What was reported before the abort stays in the memory.
    respond(to: RACP.Opcode.abort, .success)
  }

  private mutating func respond(to opcode: UInt8, _ response: RACP.Response, sent: [Int] = []) {
    respond([RACP.Opcode.response, 0, opcode, response.rawValue], sent: sent)
  }

  private mutating func respond(_ value: [UInt8], sent: [Int] = []) {
    phase = .responding(value: value, sent: sent)
  }

  /// Base time stands behind flags and sequence number (Glucose Service 1.0.1, 3.1.1).
  private func stamped(_ value: [UInt8]) -> [UInt8] {
    guard clockIsUnset, value.count >= 10 else { return value }
    return value[..<3] + [UInt8](repeating: 0, count: 7) + value[10...]
  }
}

extension MeterScript.Refusal {
  func matches(_ request: [UInt8]) -> Bool {
    (opcode == nil || opcode == request.first)
      && (self.operator == nil || (request.count > 1 && self.operator == request[1]))
  }
}
