import DriverContract

/// The rules of one Bluetooth session, as a value: what happened goes in, what to do comes out.
///
/// The machine keeps the commit rule (R25). The output of one driver event is a *unit*. Units commit in order, and units
/// that send nothing to the meter share a transaction when they queue up. Nothing goes to the meter, neither a
/// request nor the confirmation of an indication nor a disconnect, before every unit up to the one that caused it is
/// on disk. Timers, progress and `ready` act at once. If a commit fails nothing more is sent: the link is dropped and
/// the next read starts from the last commit.
///
/// A slow disk must not look like a silent meter: a timer that runs out while a request still waits for the disk starts again
/// when the request is sent.
///
/// A driver that finishes or fails is asked nothing more; what it had asked for before still goes to the meter, within
/// ``closingNanoseconds``.
///
/// A session brings no more than its ``RecordAllowance``: then it ends behind the commit of what has come, if that was not known.
public struct SessionMachine: Sendable {
  /// Something that must wait until its unit is on disk.
  private enum MeterBound: Sendable {
    case procedure(Procedure)
    case writeNoResponse(handle: UInt16, value: [UInt8])
    case confirmIndication
  }

  /// `MH_OK`, and `MH_E_PROTOCOL`: the meter's bytes were refused and the session goes on.
  private static let (ok, protocolViolation, unsupported) = (Int32(0), Int32(-3), Int32(-2))
  /// Most facts that may wait for the driver: a meter that sends faster than its driver works is cut off.
  public static let maximumWaitingFacts = 8192
  /// Most units that share one transaction.
  public static let maximumUnitsPerCommit = 256
  /// Most units, and most of their records, that may wait for the disk before the driver has to wait.
  public static let (maximumWaitingUnits, maximumWaitingRecords) = (1024, 16_384)
  /// Most requests of a driver that may wait, and most timers that it may have.
  public static let (maximumWaitingRequests, maximumTimers) = (1024, 64)
  /// How long the last requests of a driver that has ended may take.
  public static let closingNanoseconds: UInt64 = 5_000_000_000

  private let medium: Medium
  private var waitingFacts = WaitingFacts()
  private var factAtDriver: DriverFact?
  private var uncommitted: [DriverUnit] = []
  private var uncommittedRecords = 0
  private var unitsProduced = 0
  private var unitsCommitted = 0
  private var unitsInFlight = 0
  private var outbox: [(unit: Int, item: MeterBound)] = []
  private var timers = SessionTimers()
  /// Characteristics that the driver has written: their indications are answers and no records.
  private var controlPoints: Set<UInt16> = []
  private var meterMayForget = false
  private var allowance: RecordAllowance
  private var procedureRunning = false
  private var linkUp = true
  private var closing: Outcome?
  private var cancelRequested = false
  private var ended = false

  /// A session whose driver is open and whose meter can be heard.
  public init(over medium: Medium = .connection) { self.init(over: medium, RecordAllowance()) }

  init(over medium: Medium, _ allowance: RecordAllowance) { (self.medium, self.allowance) = (medium, allowance) }

  /// True when the session is over.
  public var isOver: Bool { ended }

  /// Takes one fact and answers with what to do now.
  public mutating func handle(_ input: Input) -> [Command] {
    guard !ended else { return [] }
    var commands: [Command] = []
    switch input {
    case .fact(let fact, let token): enqueue(WaitingFacts.Fact(fact: fact, token: token))
    case .timer(let token, let serial):
      guard timers.runs(token, serial) else { break }
      if holdsBack { timers.owe(token) } else { enqueue(WaitingFacts.Fact(fact: .timer, token: token, timer: serial)) }
    case .unit(let unit): accept(unit, &commands)
    case .driverFault(let fault):
      factAtDriver = nil
      breakOff(.driverFault(fault))
    case .committed:
      unitsCommitted += unitsInFlight
      unitsInFlight = 0
    case .knew(let records, let bytes): allowance.giveBack(RecordAllowance.Amount(records: records, bytes: bytes))
    case .commitFailed:
      end(.commitFailed, &commands)
      return commands
    case .procedureDone(let fact, let token):
      guard linkUp else { break }
      procedureRunning = false
      enqueue(WaitingFacts.Fact(fact: fact, token: token))
    case .pairingFailed: breakOff(.failed(.pairing, subcode: 0, text: "the meter could not be paired"))
    case .linkLost(let reason): loseLink(reason)
    case .cancel(let grace): cancel(grace, &commands)
    case .deadline(let deadline): breakOff(cancelRequested ? .cancelled : Outcome(deadline))
    }
    advance(&commands)
    return commands
  }

  private mutating func enqueue(_ fact: WaitingFacts.Fact) {
    // What nobody will look at any more is not confirmed either: the meter keeps the record.
    guard closing == nil else { return }
    guard waitingFacts.count < Self.maximumWaitingFacts else {
      return breakOff(.failed(.communication, subcode: 0, text: "the meter sends faster than it can be read"))
    }
    waitingFacts.append(fact)
  }

  private mutating func cancel(_ grace: UInt64, _ commands: inout [Command]) {
    guard !cancelRequested else { return }
    cancelRequested = true
    commands.append(.startGrace(nanoseconds: grace))
    enqueue(WaitingFacts.Fact(fact: .cancel(graceNanoseconds: grace), token: 0))
  }

  private mutating func accept(_ unit: DriverUnit, _ commands: inout [Command]) {
    var unit = unit
    let cause = factAtDriver
    factAtDriver = nil
    guard [Self.ok, Self.protocolViolation, Self.unsupported].contains(unit.status) else {
      return breakOff(.driverRefused(status: unit.status))
    }
    // Nothing of the unit is taken, as of every unit that breaks a rule.
    if medium == .advertisements, unit.actions.contains(where: \.needsConnection) {
      return breakOff(.driverFault(.noConnection))
    }
    // A driver may put a record out later than it came, so what was indicated once counts to the end.
    if case .indication(let handle, _) = cause, !controlPoints.contains(handle) { meterMayForget = true }
    unit.meterMayForget = meterMayForget
    let provisional = unit.records.filter(\.isProvisional)
    if !provisional.isEmpty { commands.append(.provisional(provisional)) }
    unitsProduced += 1
    uncommitted.append(unit)
    uncommittedRecords += unit.records.count
    // Before the actions: a driver that finishes on its last indication still has it confirmed.
    if case .indication = cause, linkUp { outbox.append((unitsProduced, .confirmIndication)) }
    for action in unit.actions { take(action, &commands) }
    if case .disconnected(let reason) = cause {
      conclude(cancelRequested ? .cancelled : .meterDisconnected(reason: UInt8(clamping: reason)), &commands)
    }
    if outbox.count > Self.maximumWaitingRequests { breakOff(.driverFault(.tooMuch("requests to the meter"))) }
    if timers.count > Self.maximumTimers { breakOff(.driverFault(.tooMuch("timers"))) }
    allowance.take(unit)
  }

  private mutating func take(_ action: DriverAction, _ commands: inout [Command]) {
    // Nothing that stands behind `finish` or `fail` means anything.
    guard closing == nil else { return }
    switch action {
    case .timer(let token, let nanoseconds):
      commands.append(timers.start(token, nanoseconds: nanoseconds))
    case .cancelTimer(let token):
      timers.cancel(token)
      commands.append(.cancelTimer(token: token))
    case .ready: commands.append(.ready)
    case .progress(let done, let total): commands.append(.progress(done: done, total: total))
    case .askUser: commands.append(.ask(action))
    case .finish: conclude(cancelRequested ? .cancelled : .finished, &commands)
    case .fail(let code, let subcode, let text):
      conclude(cancelRequested ? .cancelled : .failed(code, subcode: subcode, text: text), &commands)
    case .subscribe(let handle, let token):
      post(.procedure(.subscribe(handle: handle, enable: true, token: token)))
    case .unsubscribe(let handle, let token):
      post(.procedure(.subscribe(handle: handle, enable: false, token: token)))
    case .read(let handle, let token): post(.procedure(.read(handle: handle, token: token)))
    case .write(let handle, let value, let token):
      controlPoints.insert(handle)
      post(.procedure(.write(handle: handle, value: value, token: token)))
    case .exchangeMTU(let mtu, let token): post(.procedure(.exchangeMTU(mtu, token: token)))
    case .pair(let flags, let token): post(.procedure(.pair(flags, token: token)))
    case .writeNoResponse(let handle, let value):
      controlPoints.insert(handle)
      post(.writeNoResponse(handle: handle, value: value))
    }
  }

  /// After `disconnected` only records, key/values, finish and fail mean anything (R25).
  private mutating func post(_ item: MeterBound) {
    if linkUp { outbox.append((unitsProduced, item)) }
  }

  /// The driver has ended: nothing more is handed to it, and what it had asked for before still goes out.
  private mutating func conclude(_ outcome: Outcome, _ commands: inout [Command]) {
    guard closing == nil else { return }
    closing = outcome
    waitingFacts.removeAll()
    let hasLastWords = outbox.contains { entry in
      if case .confirmIndication = entry.item { false } else { true }
    }
    if procedureRunning || hasLastWords, !cancelRequested {
      commands.append(.startGrace(nanoseconds: Self.closingNanoseconds))
    }
  }

  /// Ends the session as soon as what was produced is on disk, and confirmed; nothing else is sent.
  private mutating func breakOff(_ outcome: Outcome) {
    if closing == nil { closing = outcome }
    waitingFacts.removeAll()
    procedureRunning = false
    outbox.removeAll { entry in
      if case .confirmIndication = entry.item { return false }
      return true
    }
  }

  /// Whether a request to the meter still waits for the disk.
  private var holdsBack: Bool { outbox.contains { $0.unit > unitsCommitted } }

  private mutating func loseLink(_ reason: UInt8) {
    guard linkUp else { return }
    linkUp = false
    procedureRunning = false
    outbox.removeAll()
    enqueue(WaitingFacts.Fact(fact: .disconnected(reason: Int32(reason)), token: 0))
  }

  private mutating func end(_ outcome: Outcome, _ commands: inout [Command]) {
    ended = true
    if linkUp { commands.append(.disconnect) }
    commands.append(.end(outcome))
  }
}

extension SessionMachine {
  /// Starts whatever can start now: the next event, the next commit, the next thing that the meter may see.
  private mutating func advance(_ commands: inout [Command]) {
    // Units without output need no transaction; they are counted before the driver is asked to wait for the disk.
    startCommit(&commands)
    // Here and not when a commit ends: units without output are counted by `startCommit` alone.
    if closing == nil, !holdsBack { commands += timers.restartOwed() }
    // The disk says how much of it was known. A driver that has ended by itself ends as it would.
    if closing == nil, allowance.isSpent, factAtDriver == nil, unitsCommitted == unitsProduced {
      breakOff(.recordLimit)
    }
    if mayDeliver, let next = waitingFacts.next(&timers) {
      factAtDriver = next.fact
      commands.append(.deliver(next.fact, token: next.token))
    }
    release(&commands)
    if let closing, factAtDriver == nil, unitsCommitted == unitsProduced, outbox.isEmpty, !procedureRunning {
      end(closing, &commands)
    }
  }

  private var mayDeliver: Bool {
    factAtDriver == nil && closing == nil && !allowance.isSpent && uncommitted.count < Self.maximumWaitingUnits
      && uncommittedRecords < Self.maximumWaitingRecords
  }

  private mutating func startCommit(_ commands: inout [Command]) {
    while unitsInFlight == 0, !uncommitted.isEmpty {
      let batch = Array(uncommitted.prefix(Self.maximumUnitsPerCommit))
      let isDurable = batch.contains(where: \.hasDurableOutput)
      if isDurable {
        // While the driver is about to work on more, and nothing waits for the disk, units gather.
        let moreComes = mayDeliver && !waitingFacts.isEmpty || factAtDriver != nil
        let isAwaited = closing != nil || outbox.contains { $0.unit > unitsCommitted }
        guard !moreComes || isAwaited || batch.count == Self.maximumUnitsPerCommit else { return }
        unitsInFlight = batch.count
        commands.append(.commit(batch.filter(\.hasDurableOutput)))
      } else {
        // It keeps its place in the order, and needs no transaction of its own.
        unitsCommitted += batch.count
      }
      uncommitted.removeFirst(batch.count)
      uncommittedRecords -= batch.reduce(0) { $0 + $1.records.count }
    }
  }

  private mutating func release(_ commands: inout [Command]) {
    var index = 0
    while index < outbox.count, outbox[index].unit <= unitsCommitted {
      switch outbox[index].item {
      case .confirmIndication: commands.append(.confirmIndication)
      case .writeNoResponse(let handle, let value):
        // Write commands keep their place among the procedures.
        guard !procedureRunning else { index += 1; continue }
        commands.append(.writeNoResponse(handle: handle, value: value))
      case .procedure(let procedure):
        guard !procedureRunning else { index += 1; continue }
        procedureRunning = true
        commands.append(.procedure(procedure))
      }
      outbox.remove(at: index)
    }
  }
}
