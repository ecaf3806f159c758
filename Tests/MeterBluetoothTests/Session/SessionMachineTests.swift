import DriverContract
import Testing

@testable import MeterBluetooth

/// Commands in words, so that a test can say what it expects in a line.
extension SessionMachine.Command {
  var word: String {
    switch self {
    case .deliver(let fact, _): "deliver \(fact.word)"
    case .commit(let units): "commit \(units.map { "\($0.records.count)+\($0.writes.count)" }.joined(separator: ","))"
    case .procedure(.write(let handle, _, _)): "write \(handle)"
    case .procedure(.subscribe(let handle, let enable, _)): "\(enable ? "subscribe" : "unsubscribe") \(handle)"
    case .procedure(.read(let handle, _)): "read \(handle)"
    case .procedure(.exchangeMTU(let mtu, _)): "mtu \(mtu)"
    case .procedure(.pair): "pair"
    case .writeNoResponse(let handle, _): "write-command \(handle)"
    case .confirmIndication: "confirm"
    case .startTimer(let token, _, _, let start): "timer \(token)" + (start == .now ? " again" : "")
    case .cancelTimer(let token): "stop \(token)"
    case .startGrace: "grace"
    case .ready: "ready"
    case .progress: "progress"
    case .ask: "ask"
    case .provisional(let records): "provisional \(records.count)"
    case .disconnect: "disconnect"
    case .end(let outcome): "end \(outcome.word)"
    }
  }
}

extension SessionMachine.Outcome {
  var word: String {
    switch self {
    case .finished: "finished"
    case .meterDisconnected: "meter-disconnected"
    case .failed(let code, _, _): "failed-\(code)"
    case .driverRefused(let status): "refused\(status)"
    case .driverFault(let fault): "fault-\(fault.code.rawValue)"
    case .commitFailed: "commit-failed"
    case .cancelled: "cancelled"
    case .readingTimeout: "reading-timeout"
    case .sessionTimeout: "session-timeout"
    case .recordLimit: "record-limit"
    }
  }
}

extension DriverFact {
  var word: String {
    switch self {
    case .notification(let handle, _): "notification \(handle)"
    case .indication(let handle, _): "indication \(handle)"
    case .timer: "timer"
    case .cancel: "cancel"
    case .disconnected: "disconnected"
    case .connected: "connected"
    case .wrote: "wrote"
    default: "other"
    }
  }
}

extension DriverUnit {
  static let quiet = DriverUnit()
  static func records(_ count: Int = 1, _ actions: DriverAction...) -> DriverUnit {
    DriverUnit(records: Array(repeating: DriverRecord(kind: .measurement), count: count), actions: actions)
  }
  static func acts(_ actions: DriverAction...) -> DriverUnit { DriverUnit(actions: actions) }
}

extension SessionMachine {
  /// Takes an input and gives the commands in words.
  mutating func says(_ input: Input) -> [String] { handle(input).map(\.word) }
  mutating func notify(_ handle: UInt16 = 1) -> [String] { says(.fact(.notification(handle: handle, []), token: 0)) }
  mutating func indicate(_ handle: UInt16 = 2) -> [String] { says(.fact(.indication(handle: handle, []), token: 0)) }
  mutating func wrote() -> [String] { says(.procedureDone(.wrote(handle: 9, status: 0), token: 0)) }
}

private let write = DriverAction.write(handle: 9, [1], token: 0)
private let command = DriverAction.writeNoResponse(handle: 8, [1])

@Suite("The rules of a session")
struct SessionMachineTests {
  @Test("a request waits for the disk, with the unit's own records and with earlier ones")
  func requestsWait() {
    var machine = SessionMachine()
    #expect(machine.notify() == ["deliver notification 1"])
    #expect(machine.says(.unit(.records(2, write, command))) == ["commit 2+0"])
    #expect(machine.notify() == ["deliver notification 1"])
    #expect(machine.says(.unit(.records(1))) == [])
    #expect(machine.says(.committed) == ["commit 1+0", "write 9"])
    #expect(machine.says(.committed) == [])
    #expect(machine.wrote() == ["deliver wrote", "write-command 8"])
  }

  @Test("a request of a unit without output still waits for the units before it")
  func emptyUnitsKeepTheirPlace() {
    var machine = SessionMachine()
    _ = machine.notify()
    #expect(machine.says(.unit(.records())) == ["commit 1+0"])
    _ = machine.notify()
    #expect(machine.says(.unit(.acts(write))) == [])
    #expect(machine.says(.committed) == ["write 9"])
  }

  @Test("an indication is confirmed once, after its unit is on disk, and not before earlier ones")
  func confirmations() {
    var machine = SessionMachine()
    _ = machine.indicate()
    #expect(machine.says(.unit(.records())) == ["commit 1+0"])
    _ = machine.indicate()
    #expect(machine.says(.unit(.quiet)) == [])
    #expect(machine.says(.committed) == ["confirm", "confirm"])
    _ = machine.indicate()
    #expect(machine.says(.unit(.quiet)) == ["confirm"])
  }

  @Test("a meter that never stops is left behind the commit, and the confirmation, of what has come")
  func recordLimit() {
    var machine = SessionMachine(over: .connection, RecordAllowance(records: 3))
    _ = machine.indicate()
    #expect(machine.says(.unit(.records(2, write))) == ["commit 2+0"])
    #expect(machine.says(.committed) == ["confirm", "write 9"])
    #expect(machine.wrote() == ["deliver wrote"])
    _ = machine.indicate()
    #expect(machine.says(.unit(.quiet)) == ["deliver indication 2"])
    // A unit is taken as a whole, and nothing that the driver asks for behind the limit is sent.
    #expect(machine.says(.unit(.records(2, write, command))) == ["commit 2+0"])
    #expect(machine.indicate() == [], "what nobody looks at is not confirmed")
    #expect(machine.says(.committed) == ["confirm", "disconnect", "end record-limit"])
  }

  @Test("what is no reading, or shown only, does not count; texts do")
  func allowance() {
    var provisional = DriverRecord(kind: .measurement)
    provisional.flags = .provisional
    let diagnostic = DriverRecord(kind: .diagnostic)
    var text = DriverRecord(kind: .measurement)
    text.texts = [DriverText(field: 300, text: String(repeating: "x", count: 5_000))]
    var few = RecordAllowance(records: 2)
    for _ in 0..<100 { few.take(DriverUnit(records: [provisional, diagnostic])) }
    #expect(!few.isSpent)
    var small = RecordAllowance(bytes: 10_000)
    for isLast in [false, true] {
      few.take(DriverUnit(records: [text]))
      small.take(DriverUnit(records: [text]))
      #expect(few.isSpent == isLast && small.isSpent == isLast)
    }
  }

  @Test("what is known costs nothing of the limit, and yet does not come without end")
  func repeats() {
    var machine = SessionMachine(over: .connection, RecordAllowance(records: 2))
    var read = 0
    while read < 100 {
      _ = machine.notify()
      // Whether it is new is not known before it is on disk: the driver waits until then.
      #expect(machine.says(.unit(.records(2))) == ["commit 2+0"])
      #expect(machine.notify() == [])
      read += 2
      let words = machine.says(.knew(records: 2, bytes: 800)) + machine.says(.committed)
      if words == ["disconnect", "end record-limit"] { break }
      #expect(words == ["deliver notification 1"])
      _ = machine.says(.unit(.quiet))
    }
    #expect(read == 2 * RecordAllowance.repeatsPerRecord)
    var mixed = SessionMachine(over: .connection, RecordAllowance(records: 3))
    _ = mixed.notify()
    _ = mixed.says(.unit(.records(3)))
    #expect(mixed.says(.knew(records: 2, bytes: 0)) == [] && mixed.says(.committed) == [])
    _ = mixed.notify()
    _ = mixed.says(.unit(.records(2)))
    #expect(mixed.says(.committed) == ["disconnect", "end record-limit"], "one of the first was new")
  }

  @Test("a driver that is through with the meter at the limit is through with it")
  func finishesAtTheLimit() {
    var machine = SessionMachine(over: .connection, RecordAllowance(records: 1))
    _ = machine.notify()
    _ = machine.says(.unit(.records(1, .finish)))
    #expect(machine.says(.committed) == ["disconnect", "end finished"])
  }

  @Test("the confirmation of the last indication goes before the link does")
  func finishConfirms() {
    var machine = SessionMachine()
    _ = machine.indicate()
    #expect(machine.says(.unit(.records(1, .finish))) == ["commit 1+0"])
    #expect(machine.says(.committed) == ["confirm", "disconnect", "end finished"])
    #expect(machine.isOver)
  }

  @Test("what a driver asks for before it finishes is still sent; what stands behind is not")
  func lastWords() {
    var machine = SessionMachine()
    _ = machine.notify()
    #expect(machine.says(.unit(.acts(write, command, .finish, .ready, write))) == ["grace", "write 9"])
    #expect(machine.notify() == [], "nothing is handed to a driver that has finished")
    #expect(machine.wrote() == ["write-command 8", "disconnect", "end finished"])
  }

  @Test("a meter that does not take the last words is left")
  func lastWordsAreBounded() {
    var machine = SessionMachine()
    _ = machine.notify()
    _ = machine.says(.unit(.acts(write, .fail(.meterError, subcode: 1, text: ""))))
    #expect(machine.says(.deadline(.grace)) == ["disconnect", "end failed-meterError"])
  }

  @Test("timers, ready, progress and provisional values act at once")
  func immediateActions() {
    var machine = SessionMachine()
    _ = machine.notify()
    var unit = DriverUnit.records(
      1, .timer(token: 7, nanoseconds: 1), .ready, .progress(done: 1, total: 2), write, .cancelTimer(token: 7))
    unit.records.append(DriverRecord(kind: .measurement, flags: .provisional))
    #expect(machine.says(.unit(unit)) == ["provisional 1", "timer 7", "ready", "progress", "stop 7", "commit 2+0"])
  }

  @Test("provisional and diagnostic records alone need no transaction")
  func nothingDurable() {
    var machine = SessionMachine()
    _ = machine.notify()
    let records = [DriverRecord(kind: .measurement, flags: .provisional), DriverRecord(kind: .diagnostic)]
    #expect(machine.says(.unit(DriverUnit(records: records, actions: [write]))) == ["provisional 1", "write 9"])
    #expect(machine.wrote() == ["deliver wrote"])
    #expect(machine.says(.unit(DriverUnit(writes: [.init(key: "user/a", value: [1])]))) == ["commit 0+1"])
  }

  @Test("units gather while the driver is busy and the disk is not awaited")
  func batching() {
    var machine = SessionMachine()
    for _ in 0..<4 { _ = machine.notify() }
    #expect(machine.says(.unit(.records())) == ["deliver notification 1"])
    #expect(machine.says(.unit(.records())) == ["deliver notification 1"])
    #expect(machine.says(.unit(.records())) == ["deliver notification 1"])
    #expect(machine.says(.unit(.records())) == ["commit 1+0,1+0,1+0,1+0"])
  }

  @Test("one procedure at a time, in the order in which they were asked for")
  func procedures() {
    var machine = SessionMachine()
    _ = machine.notify()
    let unit = DriverUnit.acts(
      .subscribe(handle: 1, token: 1), command, .unsubscribe(handle: 2, token: 2), .read(handle: 3, token: 3),
      .exchangeMTU(185, token: 4), .pair(.bond, token: 5))
    #expect(machine.says(.unit(unit)) == ["subscribe 1"])
    #expect(machine.wrote() == ["deliver wrote", "write-command 8", "unsubscribe 2"])
    #expect(machine.says(.unit(.quiet)) == [])
    #expect(machine.wrote() == ["deliver wrote", "read 3"])
    #expect(machine.says(.unit(.quiet)) == [])
    #expect(machine.wrote() == ["deliver wrote", "mtu 185"])
    #expect(machine.wrote() == ["pair"])
  }

  @Test("a confirmation does not wait for the answer to a request")
  func confirmationsPassProcedures() {
    var machine = SessionMachine()
    _ = machine.notify()
    #expect(machine.says(.unit(.acts(write, write))) == ["write 9"])
    _ = machine.indicate()
    #expect(machine.says(.unit(.records())) == ["commit 1+0"])
    #expect(machine.says(.committed) == ["confirm"])
  }

  @Test("after a failed commit nothing is sent or confirmed")
  func failedCommit() {
    var machine = SessionMachine()
    _ = machine.indicate()
    _ = machine.says(.unit(.records(1, write)))
    _ = machine.notify()
    #expect(machine.says(.commitFailed) == ["disconnect", "end commit-failed"])
    #expect(machine.says(.unit(.records(1, write))) == [])
    #expect(machine.notify() == [] && machine.says(.committed) == [])
  }

  @Test("after the link is gone only records, keys, finish and fail count")
  func afterTheLink() {
    var machine = SessionMachine()
    _ = machine.indicate()
    _ = machine.says(.unit(.records(1, write)))
    #expect(machine.says(.linkLost(reason: 0x13)) == ["deliver disconnected"])
    #expect(machine.says(.unit(.records(1, write, command, .subscribe(handle: 1, token: 0)))) == [])
    #expect(machine.says(.committed) == ["commit 1+0"])
    #expect(machine.says(.committed) == ["end meter-disconnected"])
  }

  @Test("facts that came before the link was lost are handled before the loss")
  func lossKeepsItsPlace() {
    var machine = SessionMachine()
    _ = machine.notify(1)
    _ = machine.indicate(2)
    #expect(machine.says(.linkLost(reason: 0x08)) == [])
    #expect(machine.says(.unit(.records())) == ["deliver indication 2"])
    #expect(machine.says(.unit(.records())) == ["deliver disconnected"], "nobody is there to hear a confirmation")
    #expect(machine.says(.unit(.acts(.finish))) == ["commit 1+0,1+0"])
    #expect(machine.says(.committed) == ["end finished"])
    #expect(machine.says(.linkLost(reason: 0x08)) == [])
  }

  @Test("the driver is told of a cancellation once and has its grace")
  func cancellation() {
    var machine = SessionMachine()
    #expect(machine.says(.cancel(graceNanoseconds: 5)) == ["grace", "deliver cancel"])
    #expect(machine.says(.cancel(graceNanoseconds: 5)) == [])
    #expect(machine.says(.unit(.records(1, write, .finish))) == ["commit 1+0"])
    #expect(machine.says(.committed) == ["write 9"])
    #expect(machine.wrote() == ["disconnect", "end cancelled"])
  }

  @Test("a driver that ignores a cancellation is left when its grace is over, and what it made is kept")
  func graceEnds() {
    var machine = SessionMachine()
    _ = machine.indicate()
    _ = machine.says(.cancel(graceNanoseconds: 5))
    #expect(machine.says(.deadline(.grace)) == [], "the driver still works on the indication")
    #expect(machine.says(.unit(.records(1, write))) == ["commit 1+0"])
    #expect(machine.says(.committed) == ["confirm", "disconnect", "end cancelled"], "on disk, so it may be confirmed")
  }

  @Test(
    "a time limit ends the session",
    arguments: [(SessionMachine.Deadline.reading, "reading-timeout"), (.session, "session-timeout")])
  func deadlines(deadline: SessionMachine.Deadline, word: String) {
    var machine = SessionMachine()
    _ = machine.notify()
    _ = machine.says(.unit(.acts(write)))
    #expect(machine.says(.deadline(deadline)) == ["disconnect", "end \(word)"])
    var cancelled = SessionMachine()
    _ = cancelled.says(.cancel(graceNanoseconds: 1))
    _ = cancelled.says(.unit(.quiet))
    #expect(cancelled.says(.deadline(deadline)) == ["disconnect", "end cancelled"])
  }

  @Test("a driver's fault loses the event that it was handling, and nothing before it")
  func driverFault() {
    var machine = SessionMachine()
    _ = machine.indicate()
    _ = machine.indicate()
    #expect(machine.says(.unit(.records())) == ["commit 1+0", "deliver indication 2"])
    #expect(machine.says(.driverFault(DriverFault(.crashed, driver: "d", message: "m"))) == [])
    #expect(machine.says(.committed) == ["confirm", "disconnect", "end fault-crashed"])
  }

  @Test("a refused event ends the session and its output counts for nothing; refused bytes do not")
  func statuses() {
    var machine = SessionMachine()
    _ = machine.indicate()
    #expect(machine.says(.unit(DriverUnit(status: -3))) == ["confirm"])
    _ = machine.indicate()
    var unit = DriverUnit.records(3, write)
    unit.status = -1
    #expect(machine.says(.unit(unit)) == ["disconnect", "end refused-1"])
  }

  @Test("an event that the driver does not know changes nothing, and an indication of it is confirmed")
  func unknownEvent() {
    var machine = SessionMachine()
    _ = machine.indicate()
    #expect(machine.says(.unit(DriverUnit(status: -2))) == ["confirm"])
    #expect(machine.notify() == ["deliver notification 1"])
  }

  @Test("a timer that runs out while the disk holds a request back starts again when the request is sent")
  func slowDisk() {
    var machine = SessionMachine()
    _ = machine.notify()
    #expect(machine.says(.unit(.records(1, .timer(token: 1, nanoseconds: 9), write))) == ["timer 1", "commit 1+0"])
    #expect(machine.says(.timer(token: 1, serial: 1)) == [], "the meter has not been asked yet")
    #expect(machine.says(.committed) == ["timer 1 again", "write 9"])
    #expect(machine.says(.timer(token: 1, serial: 1)) == ["deliver timer"], "now it was")
  }

  @Test("a timer that runs out starts again although its own unit had nothing for the disk")
  func slowDiskOfAnEarlierUnit() {
    var machine = SessionMachine()
    _ = machine.notify()
    _ = machine.notify()
    #expect(machine.says(.unit(.records(1))) == ["deliver notification 1"])
    #expect(machine.says(.unit(.acts(.timer(token: 1, nanoseconds: 9), write))) == ["timer 1", "commit 1+0"])
    #expect(machine.says(.timer(token: 1, serial: 1)) == [], "the write stands behind the record")
    #expect(machine.says(.committed) == ["timer 1 again", "write 9"])
    #expect(machine.says(.timer(token: 1, serial: 1)) == ["deliver timer"])
  }

  @Test(
    "a timer runs out during a commit that the meter does not wait for, and one that was stopped does not start again")
  func slowDiskAlone() {
    var machine = SessionMachine()
    _ = machine.notify()
    #expect(machine.says(.unit(.records(1, .timer(token: 1, nanoseconds: 9)))) == ["timer 1", "commit 1+0"])
    #expect(machine.says(.timer(token: 1, serial: 1)) == ["deliver timer"])
    #expect(machine.says(.unit(.acts(.timer(token: 2, nanoseconds: 9), write))) == ["timer 2"])
    #expect(machine.says(.timer(token: 2, serial: 2)) == [])
    #expect(machine.notify() == ["deliver notification 1"])
    #expect(machine.says(.unit(.acts(.cancelTimer(token: 2)))) == ["stop 2"])
    #expect(machine.says(.committed) == ["write 9"])
  }

  @Test("a timer that was stopped or started again while its fact waited is not delivered")
  func staleTimers() throws {
    var machine = SessionMachine()
    _ = machine.notify()
    _ = machine.says(.unit(.acts(.timer(token: 1, nanoseconds: 1), .timer(token: 2, nanoseconds: 1))))
    _ = machine.notify()
    #expect(machine.says(.timer(token: 1, serial: 1)) == [])
    #expect(machine.says(.timer(token: 2, serial: 2)) == [])
    let again = machine.says(.unit(.acts(.timer(token: 1, nanoseconds: 1), .cancelTimer(token: 2))))
    #expect(again == ["timer 1", "stop 2"])
    #expect(machine.says(.timer(token: 1, serial: 1)) == [])
    #expect(machine.says(.timer(token: 1, serial: 3)) == ["deliver timer"])
    _ = machine.says(.unit(.quiet))
    #expect(machine.says(.timer(token: 1, serial: 3)) == [], "once")
  }

  @Test(
    "without a connection a unit that asks for one is a fault and counts for nothing; what was there before is kept",
    arguments: [
      .subscribe(handle: 1, token: 1), .unsubscribe(handle: 1, token: 1), .read(handle: 1, token: 1), write, command,
      .exchangeMTU(100, token: 1), .pair(.bond, token: 1),
    ] as [DriverAction])
  func withoutConnection(action: DriverAction) {
    var machine = SessionMachine(over: .advertisements)
    #expect(machine.says(.fact(.advertisement([1], rssi: 0), token: 0)) == ["deliver other"])
    #expect(
      machine.says(.unit(.records(1, .timer(token: 1, nanoseconds: 1), .ready))) == ["timer 1", "ready", "commit 1+0"])
    _ = machine.says(.fact(.advertisement([2], rssi: 0), token: 0))
    #expect(machine.says(.unit(.records(1, .ready, action))) == [])
    #expect(machine.says(.committed) == ["disconnect", "end fault-broke_rule"])
  }

  @Test("a meter that only advertises and falls silent has disconnected")
  func silentMeter() {
    var machine = SessionMachine(over: .advertisements)
    _ = machine.says(.fact(.advertisement([1], rssi: 0), token: 0))
    #expect(machine.says(.linkLost(reason: 8)) == [])
    #expect(machine.says(.unit(.quiet)) == ["deliver disconnected"])
    #expect(machine.says(.unit(.records(1))) == ["commit 1+0"])
    #expect(machine.says(.committed) == ["end meter-disconnected"])
  }

  @Test("a meter that floods, and a driver that asks for too much, are cut off")
  func floods() {
    var machine = SessionMachine()
    for _ in 0...SessionMachine.maximumWaitingFacts { #expect(!machine.isOver && machine.notify().count <= 1) }
    #expect(machine.notify() == [])
    #expect(machine.says(.unit(.quiet)) == ["disconnect", "end failed-communication"])

    var greedy = SessionMachine()
    var words: [String] = []
    for _ in 0...SessionMachine.maximumWaitingRequests where !greedy.isOver {
      _ = greedy.notify()
      words = greedy.says(.unit(.acts(write, write)))
    }
    #expect(words == ["disconnect", "end fault-broke_rule"])

    var ticking = SessionMachine()
    for token in 0...UInt64(SessionMachine.maximumTimers) {
      _ = ticking.notify()
      words = ticking.says(.unit(.acts(.timer(token: token, nanoseconds: 1))))
    }
    #expect(words.suffix(2) == ["disconnect", "end fault-broke_rule"])
  }

  @Test("a slow disk makes the driver wait, and the rest follows")
  func backpressure() {
    var machine = SessionMachine()
    var delivered = 0
    var commits = 0
    for _ in 0..<5000 { delivered += machine.notify().count }
    while true {
      let words = machine.says(.unit(.records()))
      commits += words.filter { $0.hasPrefix("commit") }.count
      guard words.contains("deliver notification 1") else { break }
      delivered += 1
    }
    #expect(commits == 1, "the first of them is still not on disk")
    #expect(delivered == SessionMachine.maximumWaitingUnits + SessionMachine.maximumUnitsPerCommit)
    while delivered < 5000 || commits < 20 {
      let words = machine.says(.committed)
      commits += words.filter { $0.hasPrefix("commit") }.count
      if words.contains("deliver notification 1") { delivered += 1 }
      guard !words.isEmpty else { break }
      while machine.says(.unit(.records())).contains("deliver notification 1") { delivered += 1 }
    }
    #expect(delivered == 5000)
  }
}
