import BluetoothWire

/// Which faults of a script strike now.
struct FaultInjector: Sendable {
  private let faults: [MeterFault]
  private var strikes: [Int]
  private var connection = 0
  private var countIn = 0
  private var countOut = 0
  private var requests = 0

  init(_ faults: [MeterFault]) {
    self.faults = faults
    strikes = [Int](repeating: 0, count: faults.count)
  }

  mutating func connect() {
    connection += 1
    (countIn, countOut, requests) = (0, 0, 0)
  }

  /// What the link does behind a PDU.
  enum Fate {
    /// It stays up.
    case stays
    /// It breaks behind this PDU.
    case breaks
    /// It breaks and takes this PDU with it.
    case breaksAndLoses
  }

  /// Counts a PDU; the number in both directions together, and what the link does behind it.
  mutating func count(_ direction: MeterEvent.Direction) -> (number: Int, fate: Fate) {
    if direction == .in { countIn += 1 } else { countOut += 1 }
    let (countIn, countOut) = (countIn, countOut)
    let fault = strike { kind in
      guard case .disconnectAfterPDU(let count, let counted, _) = kind else { return false }
      switch counted {
      case .any: return countIn + countOut == count
      case .in: return direction == .in && countIn == count
      case .out: return direction == .out && countOut == count
      }
    }
    guard case .disconnectAfterPDU(_, _, let lost) = fault else { return (countIn + countOut, .stays) }
    return (countIn + countOut, lost ? .breaksAndLoses : .breaks)
  }

  /// The answer to a request that a fault refuses.
  mutating func refusal(of request: ATTPDU, in database: GATTDatabase) -> ATTPDU? {
    if request.opcode.isRequest, let code = refusalByNumber() {
      return .errorResponse(request: request.opcode, handle: 1, code: code)
    }
    let operation: MeterFault.Operation
    let handle: UInt16
    switch request {
    case .exchangeMTURequest:
      let fault = strike { if case .refuseMTU = $0 { true } else { false } }
      return fault.map { _ in
        .errorResponse(request: .exchangeMTURequest, handle: 0, code: .requestNotSupported)
      }
    case .readRequest(let read), .readBlobRequest(let read, _): (operation, handle) = (.read, read)
    case .readByTypeRequest(let range, let type):
      guard let value = database.value(of: type), range.contains(value) else { return nil }
      (operation, handle) = (.read, value)
    case .writeRequest(let written, _), .prepareWriteRequest(let written, _, _):
      (operation, handle) = (.write, written)
    default: return nil
    }
    let attribute = database[handle]
    let fault = strike { kind in
      guard case .error(let wanted, let target, _) = kind else { return false }
      switch (wanted, target, attribute?.role) {
      case (.subscribe, .characteristic(let uuid), .configuration(let value)?):
        return operation == .write && database[value]?.type == uuid
      case (.subscribe, .handle(let target), .configuration?): return operation == .write && target == handle
      case (.read, .handle(let target), _), (.write, .handle(let target), _):
        return operation == wanted && target == handle
      case (.read, .characteristic(let uuid), .value?), (.write, .characteristic(let uuid), .value?):
        return operation == wanted && attribute?.type == uuid
      default: return false
      }
    }
    guard case .error(_, _, let code) = fault else { return nil }
    return .errorResponse(request: request.opcode, handle: handle, code: code)
  }

  /// Counts a request, and says whether it is refused because of its number.
  private mutating func refusalByNumber() -> ATTErrorCode? {
    requests += 1
    let number = requests
    let fault = strike { if case .errorAtRequest(number, _) = $0 { true } else { false } }
    if case .errorAtRequest(_, let code) = fault { return code }
    return nil
  }

  /// How late a PDU leaves, in milliseconds.
  mutating func delay(_ traffic: MeterFault.Traffic) -> Int {
    let fault = strike { kind in
      if case .delay(_, let on) = kind { on == .all || on == traffic } else { false }
    }
    if case .delay(let milliseconds, _) = fault { return milliseconds }
    return 0
  }

  mutating func duplicatesNotification() -> Bool {
    strike { if case .duplicateNotifications = $0 { true } else { false } } != nil
  }

  mutating func clockIsUnset() -> Bool { strike { if case .unsetClock = $0 { true } else { false } } != nil }

  /// After how many records a report of this connection stops.
  mutating func reportLimit() -> Int? {
    let fault = strike { if case .procedureNotCompleted = $0 { true } else { false } }
    if case .procedureNotCompleted(let limit) = fault { return limit }
    return nil
  }

  /// The bytes as they leave; nil: they never do.
  mutating func damaged(_ bytes: [UInt8]) -> [UInt8]? {
    let fault = strike { kind in
      if case .malformed(let opcode, _) = kind { opcode.rawValue == bytes.first } else { false }
    }
    guard case .malformed(_, let how) = fault else { return bytes }
    return how.damage(bytes)
  }

  /// The first fault that strikes, counted as one strike.
  private mutating func strike(_ matches: (MeterFault.Kind) -> Bool) -> MeterFault.Kind? {
    let index = faults.indices.first { index in
      let fault = faults[index]
      return (fault.onlyConnection ?? connection) == connection && strikes[index] < (fault.times ?? .max)
        && matches(fault.kind)
    }
    guard let index else { return nil }
    strikes[index] += 1
    return faults[index].kind
  }
}

extension MeterFault.Damage {
  /// What is left of a PDU; nil: nothing.
  func damage(_ bytes: [UInt8]) -> [UInt8]? {
    guard let first = bytes.first else { return bytes }
    let opcode = ATTOpcode(rawValue: first)
    switch self {
    case .silent: return nil
    case .truncated: return bytes.count > 1 ? bytes.dropLast() : nil
    case .wrongOpcode:
      let other: ATTOpcode = opcode == .writeResponse ? .readResponse : .writeResponse
      return [other.rawValue] + bytes.dropFirst()
    case .lyingLength:
      // Byte 1 is the entries' length, or the format of a Find Information Response.
      guard bytes.count > 1 else { return bytes }
      let lie = opcode == .findInformationResponse ? 3 - min(bytes[1], 2) : bytes[1] &+ 1
      return [first, lie] + bytes.dropFirst(2)
    case .handlesOutOfOrder: return Self.disordered(bytes)
    }
  }

  private static func disordered(_ bytes: [UInt8]) -> [UInt8] {
    // One entry alone cannot be out of order among its like: it names handle 1, before the requested range.
    switch try? ATTPDU(decoding: bytes) {
    case .readByTypeResponse(var list):
      if list.count == 1 { list[0].handle = 1 }
      return ATTPDU.readByTypeResponse(list.reversed()).encoded
    case .readByGroupTypeResponse(var list):
      if list.count == 1 { list[0].range = ATTHandleRange(first: 1, last: 1) }
      return ATTPDU.readByGroupTypeResponse(list.reversed()).encoded
    case .findInformationResponse(var list):
      if list.count == 1 { list[0].handle = 1 }
      return ATTPDU.findInformationResponse(list.reversed()).encoded
    case .findByTypeValueResponse(var list):
      if list.count == 1 { list[0] = ATTHandleRange(first: 1, last: 1) }
      return ATTPDU.findByTypeValueResponse(list.reversed()).encoded
    default: return bytes
    }
  }
}
