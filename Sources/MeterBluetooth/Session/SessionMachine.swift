public import DriverRuntime
public import MeterDrivers

/// The rules of one Bluetooth session, as a value: what happened goes in, what to do comes out.
///
/// The machine keeps the commit rule (R25). The output of one driver event is a *unit*. Units commit in order, and units
/// that send nothing to the meter share a transaction when they queue up. Nothing goes to the meter, neither a
/// request nor the confirmation of an indication nor a disconnect, before every unit up to the one that caused it is
/// on disk. Timers, progress and `ready` act at once. If a commit fails nothing more is sent: the link is dropped and
/// the next read starts from the last commit.
public struct SessionMachine: Sendable {
  /// A fact from the outside.
  public enum Input: Sendable {
    /// A radio fact, a timer or a request of the caller.
    case fact(DriverFact, token: UInt64)
    /// The driver's answer to the event that was delivered last.
    case unit(DriverUnit)
    /// The driver crashed, hung or broke the contract: the event that it was handling has produced nothing.
    case driverFault(DriverFault)
    /// The commit that was asked for last is on disk.
    case committed
    /// The commit that was asked for last failed: nothing of it is on disk.
    case commitFailed
    /// The GATT procedure that was started last has ended with this fact for the driver.
    case procedureDone(DriverFact, token: UInt64)
    /// The link is gone; `reason` is the HCI error code (Core Specification, Vol 1 Part F).
    case linkLost(reason: UInt8)
    /// The caller gives up; the driver may use up to this long to end in an orderly way.
    case cancel(graceNanoseconds: UInt64)
    /// The time that ``Command/startGrace(nanoseconds:)`` or an overall limit granted is over.
    case deadline(Deadline)
  }

  /// Which time limit ran out.
  public enum Deadline: Sendable, Hashable {
    /// The caller cancelled and the driver did not end in time.
    case grace
    /// Nothing came from the meter for too long.
    case reading
  }

  /// What the surroundings have to do, in this order.
  public enum Command: Sendable {
    /// Hand this to the driver; answer with ``Input/unit(_:)``.
    case deliver(DriverFact, token: UInt64)
    /// Put these units on disk in one transaction; answer with ``Input/committed`` or ``Input/commitFailed``.
    case commit([DriverUnit])
    /// Start this GATT procedure; answer with ``Input/procedureDone(_:token:)``.
    case procedure(Procedure)
    /// Send a write command; there is no answer.
    case writeNoResponse(handle: UInt16, value: [UInt8])
    /// Confirm the oldest unconfirmed indication.
    case confirmIndication
    /// Start or replace the timer of this token.
    case startTimer(token: UInt64, nanoseconds: UInt64)
    /// Stop the timer of this token.
    case cancelTimer(token: UInt64)
    /// Start the grace period of a cancellation.
    case startGrace(nanoseconds: UInt64)
    /// The moment to measure.
    case ready
    /// The driver's progress; `total` 0 is unknown.
    case progress(done: UInt64, total: UInt64)
    /// Ask the person; the answer is the fact `userInput` with the prompt's token.
    case ask(DriverAction)
    /// Records that are progress and not results.
    case provisional([DriverRecord])
    /// Close the link.
    case disconnect
    /// The session is over; nothing follows.
    case end(Outcome)
  }

  /// A GATT procedure; only one runs at a time (R11).
  public enum Procedure: Sendable, Hashable {
    /// Write the CCCD by the characteristic's properties, or clear it.
    case subscribe(handle: UInt16, enable: Bool, token: UInt64)
    /// Read a value to its end.
    case read(handle: UInt16, token: UInt64)
    /// Write a value and wait for the response.
    case write(handle: UInt16, value: [UInt8], token: UInt64)
    /// Exchange the MTU.
    case exchangeMTU(UInt16, token: UInt64)
    /// Raise the security of the link.
    case pair(DriverPairing, token: UInt64)
  }

  /// How a session ended.
  public enum Outcome: Sendable {
    /// The driver has read everything that was wanted.
    case finished
    /// The meter closed the link after at least one event was handled, and the driver did not object.
    case meterDisconnected(reason: UInt8)
    /// The driver gave up with a code of the contract's list.
    case failed(DriverFailureCode, subcode: UInt64, text: String)
    /// The driver refused an event with a status that ends a session.
    case driverRefused(status: Int32)
    /// The driver crashed, hung or broke the contract.
    case driverFault(DriverFault)
    /// The store refused a commit; what was committed before stays.
    case commitFailed
    /// The caller gave up.
    case cancelled
    /// The meter was silent for too long.
    case readingTimeout
  }

  /// Something that must wait until its unit is on disk.
  private enum MeterBound: Sendable {
    case procedure(Procedure)
    case writeNoResponse(handle: UInt16, value: [UInt8])
    case confirmIndication
    case close(Outcome)
  }

  /// `MH_OK`, and `MH_E_PROTOCOL`: the meter's bytes were refused and the session goes on.
  private static let (ok, protocolViolation) = (Int32(0), Int32(-3))
  /// Most facts that may wait for the driver: a meter that sends faster than its driver works is cut off.
  public static let maximumWaitingFacts = 8192
  /// Most units that share one transaction.
  public static let maximumUnitsPerCommit = 256

  private var waitingFacts: [(fact: DriverFact, token: UInt64)] = []
  private var firstWaiting = 0
  private var factAtDriver: DriverFact?
  private var uncommitted: [DriverUnit] = []
  private var unitsProduced = 0
  private var unitsCommitted = 0
  private var unitsInFlight = 0
  private var outbox: [(unit: Int, item: MeterBound)] = []
  private var procedureRunning = false
  private var linkUp = true
  private var closing: Outcome?
  private var cancelRequested = false
  private var ended = false

  /// A session whose link is up and whose driver is open.
  public init() {}

  /// True when the session is over.
  public var isOver: Bool { ended }

  /// Takes one fact and answers with what to do now.
  public mutating func handle(_ input: Input) -> [Command] {
    guard !ended else { return [] }
    var commands: [Command] = []
    switch input {
    case .fact(let fact, let token): enqueue(fact, token, &commands)
    case .unit(let unit): accept(unit, &commands)
    case .driverFault(let fault):
      factAtDriver = nil
      close(.driverFault(fault))
    case .committed:
      unitsCommitted += unitsInFlight
      unitsInFlight = 0
    case .commitFailed:
      end(.commitFailed, &commands)
      return commands
    case .procedureDone(let fact, let token):
      guard linkUp else { break }
      procedureRunning = false
      enqueue(fact, token, &commands)
    case .linkLost(let reason): loseLink(reason, &commands)
    case .cancel(let grace):
      guard closing == nil else { break }
      commands.append(.startGrace(nanoseconds: grace))
      enqueue(.cancel(graceNanoseconds: grace), 0, &commands)
      cancelRequested = true
    case .deadline(let deadline): close(deadline == .grace ? .cancelled : .readingTimeout)
    }
    advance(&commands)
    return commands
  }

  private mutating func enqueue(_ fact: DriverFact, _ token: UInt64, _ commands: inout [Command]) {
    guard closing == nil else {
      // The confirmation of what nobody will look at any more must not be sent: the meter keeps the record.
      return
    }
    guard waitingFacts.count - firstWaiting < Self.maximumWaitingFacts else {
      close(.failed(.communication, subcode: 0, text: "the meter sends faster than it can be read"))
      return
    }
    waitingFacts.append((fact, token))
  }

  private mutating func accept(_ unit: DriverUnit, _ commands: inout [Command]) {
    let cause = factAtDriver
    factAtDriver = nil
    guard unit.status == Self.ok || unit.status == Self.protocolViolation else {
      close(.driverRefused(status: unit.status))
      return
    }
    let provisional = unit.records.filter(\.isProvisional)
    if !provisional.isEmpty { commands.append(.provisional(provisional)) }
    unitsProduced += 1
    uncommitted.append(unit)
    // Before the actions: a driver that finishes on its last indication still has it confirmed.
    if case .indication = cause, closing == nil { outbox.append((unitsProduced, .confirmIndication)) }
    retagClose()
    for action in unit.actions { take(action, &commands) }
    if case .disconnected(let reason) = cause, closing == nil {
      close(cancelRequested ? .cancelled : .meterDisconnected(reason: UInt8(clamping: reason)))
    }
  }

  private mutating func take(_ action: DriverAction, _ commands: inout [Command]) {
    let bound: MeterBound
    switch action {
    case .timer(let token, let nanoseconds):
      return commands.append(.startTimer(token: token, nanoseconds: nanoseconds))
    case .cancelTimer(let token): return commands.append(.cancelTimer(token: token))
    case .ready: return commands.append(.ready)
    case .progress(let done, let total): return commands.append(.progress(done: done, total: total))
    case .finish: return close(cancelRequested ? .cancelled : .finished)
    case .fail(let code, let subcode, let text):
      return close(cancelRequested ? .cancelled : .failed(code, subcode: subcode, text: text))
    case .subscribe(let handle, let token):
      bound = .procedure(.subscribe(handle: handle, enable: true, token: token))
    case .unsubscribe(let handle, let token):
      bound = .procedure(.subscribe(handle: handle, enable: false, token: token))
    case .read(let handle, let token): bound = .procedure(.read(handle: handle, token: token))
    case .write(let handle, let value, let token):
      bound = .procedure(.write(handle: handle, value: value, token: token))
    case .exchangeMTU(let mtu, let token): bound = .procedure(.exchangeMTU(mtu, token: token))
    case .pair(let flags, let token): bound = .procedure(.pair(flags, token: token))
    case .writeNoResponse(let handle, let value): bound = .writeNoResponse(handle: handle, value: value)
    case .askUser: return commands.append(.ask(action))
    }
    // After `disconnected` only records, key/values, finish and fail mean anything (R25).
    if linkUp && closing == nil { outbox.append((unitsProduced, bound)) }
  }

  /// Ends the session once everything that was produced so far is on disk.
  private mutating func close(_ outcome: Outcome) {
    guard closing == nil else { return }
    closing = outcome
    waitingFacts.removeAll()
    firstWaiting = 0
    outbox.removeAll { entry in
      if case .confirmIndication = entry.item { return false }
      return true
    }
    outbox.append((unitsProduced, .close(outcome)))
  }

  /// A session that is closing ends after everything that its driver still produced.
  private mutating func retagClose() {
    guard closing != nil, let index = outbox.firstIndex(where: { if case .close = $0.item { true } else { false } })
    else { return }
    outbox[index].unit = unitsProduced
  }

  private mutating func loseLink(_ reason: UInt8, _ commands: inout [Command]) {
    guard linkUp else { return }
    linkUp = false
    procedureRunning = false
    outbox.removeAll { entry in
      if case .close = entry.item { return false }
      return true
    }
    enqueue(.disconnected(reason: Int32(reason)), 0, &commands)
  }

  private mutating func end(_ outcome: Outcome, _ commands: inout [Command]) {
    ended = true
    if linkUp { commands.append(.disconnect) }
    commands.append(.end(outcome))
  }

  /// Starts whatever can start now: the next event, the next commit, the next thing that the meter may see.
  private mutating func advance(_ commands: inout [Command]) {
    if factAtDriver == nil, closing == nil, firstWaiting < waitingFacts.count {
      let next = waitingFacts[firstWaiting]
      firstWaiting += 1
      if firstWaiting == waitingFacts.count {
        waitingFacts.removeAll(keepingCapacity: true)
        firstWaiting = 0
      }
      factAtDriver = next.fact
      commands.append(.deliver(next.fact, token: next.token))
    }
    startCommit(&commands)
    release(&commands)
  }

  private mutating func startCommit(_ commands: inout [Command]) {
    guard unitsInFlight == 0, !uncommitted.isEmpty else { return }
    let batch = Array(uncommitted.prefix(Self.maximumUnitsPerCommit))
    // A unit without output needs no transaction of its own, but it keeps its place in the order.
    guard batch.contains(where: \.hasDurableOutput) else {
      uncommitted.removeFirst(batch.count)
      unitsCommitted += batch.count
      return startCommit(&commands)
    }
    let somethingWaits = outbox.contains { $0.unit > unitsCommitted }
    guard factAtDriver == nil || somethingWaits || batch.count == Self.maximumUnitsPerCommit else { return }
    uncommitted.removeFirst(batch.count)
    unitsInFlight = batch.count
    commands.append(.commit(batch.filter(\.hasDurableOutput)))
  }

  private mutating func release(_ commands: inout [Command]) {
    var index = 0
    while index < outbox.count, outbox[index].unit <= unitsCommitted {
      switch outbox[index].item {
      case .confirmIndication:
        if linkUp { commands.append(.confirmIndication) }
      case .writeNoResponse(let handle, let value):
        // Write commands keep their place among the procedures.
        guard !procedureRunning else { index += 1; continue }
        commands.append(.writeNoResponse(handle: handle, value: value))
      case .procedure(let procedure):
        guard !procedureRunning else { index += 1; continue }
        procedureRunning = true
        commands.append(.procedure(procedure))
      case .close(let outcome):
        guard factAtDriver == nil else { return }
        return end(outcome, &commands)
      }
      outbox.remove(at: index)
    }
  }
}

extension DriverUnit {
  /// True when something of this unit belongs on disk.
  var hasDurableOutput: Bool { !writes.isEmpty || records.contains { $0.isDurable } }
}

extension DriverRecord {
  /// True for progress that must not become a reading.
  var isProvisional: Bool { flags.contains(.provisional) }
  /// True when the record may go to the store.
  var isDurable: Bool { !isProvisional && kind != .diagnostic }
}
