import DriverContract
import TestSupport
import Testing

@testable import MeterBluetooth

/// Random surroundings of a ``SessionMachine`` that check every command against the commit rule (R25).
///
/// Each unit carries its number: in its records, in its keys, in the tokens of its procedures and in what it writes.
struct SimulatedSession {
  var random: SeededGenerator
  private let medium: SessionMachine.Medium
  private var machine: SessionMachine
  private var atDriver: DriverFact?
  private var committing: [UInt64]?
  private var procedureRuns = false
  private var linkUp = true
  private var hasFailed = false
  private(set) var isOver = false
  private var unit: UInt64 = 0
  private var durable: [UInt64] = []
  private var committed: [UInt64] = []
  private var indicated: [UInt64] = []
  private var confirmations = 0
  private var timers: [(token: UInt64, serial: UInt64)] = []
  private(set) var violations: [String] = []
  private(set) var commits = 0
  private(set) var sent = 0

  init(seed: UInt64, over medium: SessionMachine.Medium = .connection) {
    random = SeededGenerator(seed: seed)
    self.medium = medium
    machine = SessionMachine(over: medium)
  }

  /// One random thing happens, of those that can happen now.
  mutating func step() {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<35 where medium == .advertisements: feed(.fact(.advertisement([1], rssi: 0), token: 0))
    case 0..<20: feed(.fact(.notification(handle: 1, []), token: 0))
    case 20..<35: feed(.fact(.indication(handle: 2, []), token: 0))
    case 35..<65: answerDriver()
    case 65..<82: answerCommit()
    case 82..<92: answerProcedure()
    case 92..<96: fireTimer()
    case 96: feed(.cancel(graceNanoseconds: 5))
    case 97 where Bool.random(using: &random): loseLink()
    case 98 where Int.random(in: 0..<4, using: &random) == 0: feed(.deadline(.grace))
    case 99 where Int.random(in: 0..<4, using: &random) == 0: feed(.deadline(.reading))
    default: break
    }
  }

  /// Everything that is awaited happens, and the link goes: nothing may keep the session from ending now.
  mutating func settle() {
    loseLink()
    for _ in 0..<50_000 where !isOver {
      answerDriver()
      answerCommit()
      answerProcedure()
    }
  }

  private mutating func loseLink() {
    guard linkUp else { return }
    linkUp = false
    procedureRuns = false
    feed(.linkLost(reason: 0x13))
  }

  private mutating func answerDriver() {
    guard let fact = atDriver else { return }
    atDriver = nil
    if Int.random(in: 0..<200, using: &random) == 0 {
      feed(.driverFault(DriverFault(.crashed, driver: "d", message: "m")))
      return
    }
    unit += 1
    var (output, immediate) = randomUnit()
    let isFault = medium == .advertisements && output.actions.contains(where: \.isForMeter)
    if isFault {
      immediate = []
      isClosing = true
    } else if output.status == 0 || output.status == -3 {
      if output.hasDurableOutput { durable.append(unit) }
      if case .indication = fact, linkUp { indicated.append(unit) }
    }
    let commands = feed(.unit(output))
    let acted = commands.filter { ["ready", "progress"].contains($0) || $0.hasPrefix("timer") }
    if acted != immediate { violations.append("unit \(unit) acted \(acted) instead of \(immediate)") }
  }

  private mutating func randomUnit() -> (DriverUnit, immediate: [String]) {
    var output = DriverUnit()
    if Int.random(in: 0..<3, using: &random) > 0 {
      let flags: DriverRecordFlags = Int.random(in: 0..<5, using: &random) == 0 ? .provisional : []
      output.records = (0..<Int.random(in: 0..<3, using: &random)).map { _ in
        DriverRecord(kind: .measurement, flags: flags, deviceSequence: unit)
      }
    }
    if Int.random(in: 0..<4, using: &random) == 0 { output.writes = [.init(key: "user/\(unit)", value: [1])] }
    var immediate: [String] = []
    var hasEnded = false
    for _ in 0..<Int.random(in: 0..<4, using: &random) {
      let action = randomAction()
      output.actions.append(action)
      if hasEnded { continue }
      switch action {
      case .ready: immediate.append("ready")
      case .progress: immediate.append("progress")
      case .timer(let token, _): immediate.append("timer \(token)")
      case .finish, .fail: hasEnded = true
      default: break
      }
    }
    if Int.random(in: 0..<100, using: &random) == 0 { output.status = -3 }
    if Int.random(in: 0..<200, using: &random) == 0 { return (DriverUnit(status: -1), []) }
    // A session that is ending asks the driver for nothing any more.
    return (output, isClosing ? [] : immediate)
  }

  private var isClosing = false

  private mutating func randomAction() -> DriverAction {
    // A driver without a connection asks for one at times: that is its end.
    let asksMeter = medium == .connection || Int.random(in: 0..<50, using: &random) == 0
    return switch Int.random(in: asksMeter ? 0..<40 : 22..<40, using: &random) {
    case 0..<8: .write(handle: 9, [], token: unit)
    case 8..<12: .subscribe(handle: 9, token: unit)
    case 12..<16: .read(handle: 9, token: unit)
    case 16..<22: .writeNoResponse(handle: UInt16(unit), [])
    case 22..<28: .timer(token: UInt64.random(in: 0..<5, using: &random), nanoseconds: 1)
    case 28..<30: .cancelTimer(token: UInt64.random(in: 0..<5, using: &random))
    case 30..<33: .progress(done: 1, total: 1)
    case 33..<38: .ready
    case 38: .finish
    default: .fail(.meterError, subcode: 0, text: "")
    }
  }

  private mutating func answerCommit() {
    guard let batch = committing else { return }
    committing = nil
    if Int.random(in: 0..<150, using: &random) == 0 {
      hasFailed = true
      feed(.commitFailed)
    } else {
      committed += batch
      feed(.committed)
    }
  }

  private mutating func answerProcedure() {
    guard procedureRuns else { return }
    procedureRuns = false
    feed(.procedureDone(.wrote(handle: 9, status: 0), token: 0))
  }

  private mutating func fireTimer() {
    guard let timer = timers.randomElement(using: &random) else { return }
    feed(.timer(token: timer.token, serial: timer.serial))
  }

  @discardableResult
  private mutating func feed(_ input: SessionMachine.Input) -> [String] {
    let wasOver = isOver
    switch input {
    case .deadline, .driverFault: isClosing = true
    default: break
    }
    let commands = machine.handle(input)
    if wasOver, !commands.isEmpty { violations.append("a session that is over does \(commands.map(\.word))") }
    if hasFailed, !wasOver, commands.map(\.word) != (linkUp ? ["disconnect"] : []) + ["end commit-failed"] {
      violations.append("after a failed commit: \(commands.map(\.word))")
    }
    for command in commands { check(command) }
    if case .unit(let output) = input {
      if output.actions.contains(where: { [.finish, .fail(.meterError, subcode: 0, text: "")].contains($0) }) {
        isClosing = true
      }
      if output.status == -1 { isClosing = true }
    }
    return commands.map(\.word)
  }

  private mutating func check(_ command: SessionMachine.Command) {
    switch command {
    case .deliver(let fact, _):
      if atDriver != nil { violations.append("two events at the driver") }
      if isClosing { violations.append("an event after the end of the driver") }
      atDriver = fact
    case .commit(let units): check(commit: units)
    case .procedure(let procedure):
      if procedureRuns { violations.append("two procedures") }
      procedureRuns = true
      meterSees(procedure.token, "a procedure")
    case .writeNoResponse(let handle, _): meterSees(UInt64(handle), "a write command")
    case .confirmIndication:
      guard confirmations < indicated.count else { return violations.append("a confirmation of nothing") }
      meterSees(indicated[confirmations], "a confirmation")
      confirmations += 1
    case .startTimer(let token, let serial, _, _): timers.append((token, serial))
    case .disconnect:
      if !hasFailed { meterSees(unit, "a disconnect") }
    case .end:
      isOver = true
      if !hasFailed, committed != durable { violations.append("ended with \(committed) of \(durable) on disk") }
      if !hasFailed, linkUp, confirmations != indicated.count {
        violations.append("ended with \(confirmations) of \(indicated.count) indications confirmed")
      }
    default: break
    }
  }

  private mutating func check(commit units: [DriverUnit]) {
    commits += 1
    if committing != nil { violations.append("two commits at a time") }
    let numbers = units.compactMap { unit in
      unit.records.first?.deviceSequence ?? unit.writes.first.flatMap { UInt64($0.key.dropFirst(5)) }
    }
    committing = numbers
    let expected = durable.dropFirst(committed.count).prefix(numbers.count)
    if numbers != Array(expected) || numbers.count != units.count {
      violations.append("commit of \(numbers) instead of \(Array(expected))")
    }
  }

  private mutating func meterSees(_ number: UInt64, _ what: String) {
    sent += 1
    if medium == .advertisements, what != "a disconnect" { violations.append("\(what) without a connection") }
    if !linkUp { violations.append("\(what) without a link") }
    if let open = durable.dropFirst(committed.count).first, open <= number {
      violations.append("\(what) of unit \(number) before unit \(open) is on disk")
    }
  }
}

extension DriverAction {
  fileprivate var isForMeter: Bool {
    switch self {
    case .subscribe, .unsubscribe, .read, .write, .writeNoResponse, .exchangeMTU, .pair: true
    default: false
    }
  }
}

extension SessionMachine.Procedure {
  var token: UInt64 {
    switch self {
    case .subscribe(_, _, let token), .read(_, let token), .write(_, _, let token), .exchangeMTU(_, let token),
      .pair(_, let token):
      token
    }
  }
}
