import CMeterDriver

/// Where a session puts its records, actions, storage writes and log lines. Everything of one event is one unit
/// (rule R25); the library hands it to the host, in several rounds when the host's arrays are small (rule R13).
public struct Output: ~Copyable {
  /// The records of this event.
  public var records = RecordOutput()
  var actions: [PendingAction] = []
  /// Bytes that the actions send: one run, so that an action needs no allocation of its own.
  var bytes: [UInt8] = []
  var writes: [PendingWrite] = []
  var tooManyActions = false
  let host: HostServices
  /// The host's monotonic clock at this event, nanoseconds.
  public internal(set) var monotonicNanoseconds: UInt64 = 0
  /// The host's clock at this event, microseconds since 1970-01-01T00:00Z.
  public internal(set) var unixMicroseconds: Int64 = 0

  init(host: HostServices) { self.host = host }

  mutating func reset() {
    records.rollBack(to: OutputMark(records: 0, values: 0, bytes: 0, texts: 0))
    actions.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    writes.removeAll(keepingCapacity: true)
    tooManyActions = false
  }

  private mutating func act(_ kind: UInt32, token: UInt64 = 0, handle: UInt16 = 0, _ value: [UInt8] = []) {
    var action = mh_action()
    action.kind = kind
    action.token = token
    action.handle = handle
    append(action, value)
  }

  mutating func append(_ action: mh_action, _ value: [UInt8]) {
    guard actions.count < Int(MH_ACTIONS_MAX) else {
      tooManyActions = true
      return
    }
    actions.append(PendingAction(action: action, offset: bytes.count, length: value.count))
    bytes.append(contentsOf: value)
  }
}

/// An action whose bytes lie in the output's own run until it is handed over.
struct PendingAction {
  var action: mh_action
  let offset: Int
  let length: Int
}

// Actions (rule R11).
extension Output {
  /// Subscribes to notifications or indications, by the characteristic's properties. Answer: `subscribed`.
  public mutating func subscribe(_ handle: UInt16, token: UInt64) {
    act(MH_DO_SUBSCRIBE, token: token, handle: handle)
  }

  /// Ends a subscription.
  public mutating func unsubscribe(_ handle: UInt16, token: UInt64) {
    act(MH_DO_UNSUBSCRIBE, token: token, handle: handle)
  }

  /// Reads a value to its end. Answer: `read`.
  public mutating func read(_ handle: UInt16, token: UInt64) {
    act(MH_DO_READ, token: token, handle: handle)
  }

  /// Writes a value. Answer: `wrote`.
  public mutating func write(_ handle: UInt16, _ value: [UInt8], token: UInt64) {
    act(MH_DO_WRITE, token: token, handle: handle, value)
  }

  /// Writes a value without an answer.
  public mutating func writeWithoutResponse(_ handle: UInt16, _ value: [UInt8]) {
    act(MH_DO_WRITE_NO_RESPONSE, handle: handle, value)
  }

  /// Asks for a larger MTU. Answer: `mtu`.
  public mutating func exchangeMTU(_ wanted: UInt16) {
    var action = mh_action()
    action.kind = MH_DO_MTU
    action.arg = UInt64(wanted)
    append(action, [])
  }

  /// Pairs and bonds. Answer: `encrypted`, or the session ends with a pairing failure.
  ///
  /// - Parameter mitm: Pair so that nobody can stand between (a passkey); for meters that show or take one.
  public mutating func pair(mitm: Bool = false) {
    var action = mh_action()
    action.kind = MH_DO_PAIR
    action.flags = UInt16(mitm ? MH_PAIR_BOND | MH_PAIR_MITM : MH_PAIR_BOND)
    append(action, [])
  }

  /// Starts a timer, or starts the timer with this token again. Counted from this event's clock. Answer: `timer`.
  public mutating func timer(_ token: UInt64, after nanoseconds: UInt64) {
    var action = mh_action()
    action.kind = MH_DO_TIMER
    action.token = token
    action.arg = nanoseconds
    append(action, [])
  }

  /// Stops a timer.
  public mutating func cancelTimer(_ token: UInt64) { act(MH_DO_CANCEL_TIMER, token: token) }

  /// The moment to measure: the host tells the person.
  public mutating func ready() { act(MH_DO_READY) }

  /// How far the session is; a total of 0: unknown.
  public mutating func progress(done: UInt64, total: UInt64 = 0) {
    var action = mh_action()
    action.kind = MH_DO_PROGRESS
    action.arg = done
    action.arg2 = total
    append(action, [])
  }

  /// Everything that was wanted has been read: success.
  public mutating func finish() { act(MH_DO_FINISH) }

  /// Ends the session with a failure.
  ///
  /// - Parameters:
  ///   - subcode: The driver's own code, such as the ATT error or the meter's answer.
  ///   - text: For the person: what happened and what to do.
  public mutating func fail(_ failure: Failure, subcode: UInt64 = 0, _ text: StaticString) {
    var action = mh_action()
    action.kind = MH_DO_FAIL
    action.code = failure.rawValue
    action.arg = subcode
    action.text = text.contractText
    append(action, [])
  }
}

/// Why a session failed (`MH_FAIL_*`).
public enum Failure: Int32 {
  /// The meter or the link answered with an error.
  case communication = 1
  /// The meter has no reading.
  case noReading = 2
  /// The meter did not answer in time.
  case timeout = 3
  /// The meter is not what the registry says.
  case unsupportedMeter = 4
  /// A key is missing.
  case keyMissing = 5
  /// A key is wrong.
  case keyWrong = 6
  /// The meter reports an error of its own.
  case meterError = 7
  /// Pairing failed.
  case pairing = 8
  /// The licence file is missing, damaged, out of date, or another product's.
  case licence = 9
  /// The meter answers paired hosts only.
  case notPaired = 10
  /// The person refused what was asked.
  case refused = 11
  /// Which of the meter's users the reading is for is not known, or the meter does not agree.
  case owner = 12
}
