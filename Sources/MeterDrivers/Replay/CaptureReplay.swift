import DriverContract
import DriverRuntime
import HostPrimitives

/// Runs a driver against what a Bluetooth capture holds: the meter says what it said then, and answers what it was asked then.
///
/// The driver may ask in another order than the captured central: an answer is looked for, and values come in their captured
/// order. What the driver asks for and the capture does not answer is said, and stays unanswered.
struct CaptureReplay {
  let host: DriverHost

  func run(
    _ recording: Recording, bundle: VerifiedBundle, isSameBundle: Bool
  ) async throws(RecordingError) -> ReplayReport {
    var steps: [CapturedStep] = []
    for step in recording.steps {
      guard case .captured(let captured) = step else {
        throw RecordingError(.damaged, "an imported capture holds what only a session's recording has")
      }
      steps.append(captured)
    }
    let session: any DriverSession
    do {
      session = try await host.open(bundle, driver: recording.head.driver, opening: recording.opening)
    } catch {
      guard error.isDrivers || error.code == .refused else {
        throw RecordingError(.unavailable, "the capture cannot be replayed here: \(error)")
      }
      return ReplayReport(
        outcome: .differs, event: 0, words: ["the driver did not open: \(error.message)"], fault: error,
        recordedFault: nil, isSameBundle: isSameBundle, events: 0, records: [])
    }
    var play = CapturePlay(steps, session: session)
    await play.run()
    await session.close()
    let isWhole = play.fault == nil && play.words.isEmpty
    return ReplayReport(
      outcome: isWhole ? .ran : .differs, event: isWhole ? nil : play.events, words: play.words, fault: play.fault,
      recordedFault: nil, isSameBundle: isSameBundle, events: play.events, records: play.records)
  }
}

/// One run of a driver against captured steps.
private struct CapturePlay {
  private let session: any DriverSession
  private let facts: CapturedFacts
  private var steps: [CapturedStep?]
  private var next = 0
  /// What the driver asked for, the oldest first, and how many of it were carried out.
  private var pending: [DriverAction] = []
  private var carriedOut = 0
  /// Actions that were carried out, and steps that were looked at for them.
  private var actions = 0
  private var visits = 0
  private var timers: [UInt64: Int64] = [:]
  private var now: Int64
  private var hasEnded = false
  private(set) var events = 0
  private(set) var records: [DriverRecord] = []
  private(set) var words: [String] = []
  private(set) var fault: DriverFault?

  /// A driver that goes on and on is stopped.
  private static let (mostEvents, mostActions, mostPending) = (200_000, 400_000, 10_000)
  private static let (mostRecords, mostVisits) = (1_000_000, 100_000_000)
  /// So many lines say enough.
  private static let mostWords = 100
  /// How long timers run on behind the end of the capture, microseconds.
  static let patience: Int64 = 60_000_000

  init(_ steps: [CapturedStep], session: any DriverSession) {
    self.session = session
    self.steps = steps
    facts = CapturedFacts(steps)
    now = steps.first?.unixMicroseconds ?? 0
  }

  mutating func run() async {
    while !hasEnded, !isEndless {
      if carriedOut < pending.count {
        carriedOut += 1
        actions += 1
        await carryOut(pending[carriedOut - 1])
      } else if let step = nextStep() {
        if await fireTimer(before: step.unixMicroseconds) { continue }
        next += 1
        now = max(now, step.unixMicroseconds)
        await hear(step)
      } else if await !fireTimer(before: now + Self.patience) {
        // The capture has ended with the link up, and the driver waits for more.
        await deliver(.disconnected(reason: 0x13))
      }
    }
    if !hasEnded { note("the driver did not end after \(events) events and \(actions) actions") }
  }

  private var isEndless: Bool {
    events >= Self.mostEvents || actions >= Self.mostActions || pending.count - carriedOut > Self.mostPending
      || records.count >= Self.mostRecords || visits >= Self.mostVisits
  }

  private mutating func note(_ word: String) {
    if words.count < Self.mostWords { words.append(word) }
  }

  private mutating func nextStep() -> CapturedStep? {
    while next < steps.count {
      if let step = steps[next] { return step }
      next += 1
    }
    return nil
  }

  private mutating func fireTimer(before limit: Int64) async -> Bool {
    guard let (token, due) = timers.min(by: { ($0.value, $0.key) < ($1.value, $1.key) }), due < limit else {
      return false
    }
    timers[token] = nil
    now = max(now, due)
    await deliver(.timer, token: token)
    return true
  }

  private mutating func deliver(_ fact: DriverFact, token: UInt64 = 0) async {
    events += 1
    let event = DriverEvent(
      sequence: UInt64(events), token: token, monotonicNanoseconds: UInt64(max(0, now)) &* 1000, unixMicroseconds: now,
      fact: fact)
    do throws(DriverFault) {
      let unit = try await session.handle(event)
      records += unit.records
      if carriedOut == pending.count { (pending, carriedOut) = ([], 0) }
      for action in unit.actions { take(action) }
      if !unit.sessionGoesOn {
        // Without a word of its own it has refused to go on.
        if !hasEnded { note("the driver refused to go on at event \(events): \(statusName(unit.status))") }
        hasEnded = true
      }
    } catch {
      fault = error
      note("the driver failed at event \(events): \(error.message)")
      hasEnded = true
    }
    if case .disconnected = fact { hasEnded = true }
  }

  private mutating func take(_ action: DriverAction) {
    switch action {
    // Neither a recorded time nor a thousandth of any number is so large that the sum overflows.
    case .timer(let token, let nanoseconds): timers[token] = now + Int64(clamping: nanoseconds / 1000)
    case .cancelTimer(let token): timers[token] = nil
    case .finish: hasEnded = true
    case .fail(let code, _, let text):
      note("the driver gave up (\(code)): \(text)")
      hasEnded = true
    case .ready, .progress: break
    default: pending.append(action)
    }
  }

  private mutating func carryOut(_ action: DriverAction) async {
    switch action {
    case .subscribe(let handle, let token): await subscribe(handle, true, token)
    case .unsubscribe(let handle, let token): await subscribe(handle, false, token)
    case .read(let handle, let token): await read(handle, token)
    case .write(let handle, let value, let token): await write(handle, value, token)
    case .writeNoResponse(let handle, let value): await write(handle, value, nil)
    case .exchangeMTU(_, let token): await deliver(.mtu(facts.mtu ?? 23), token: token)
    case .pair(_, let token): await pair(token)
    case .askUser(_, let token): await deliver(.userInput([], status: KeyService.unsupported), token: token)
    default: break
    }
  }

  /// What the meter did by itself. A driver hears of encryption only when it asked for it.
  private mutating func hear(_ step: CapturedStep) async {
    guard case .fact(let fact) = step.content else { return }
    if case .encrypted = fact { return }
    await deliver(fact)
  }

  private mutating func pair(_ token: UInt64) async {
    guard let level = facts.level else { return unanswered("pair") }
    await deliver(.encrypted(level: level), token: token)
  }

  private mutating func subscribe(_ handle: UInt16, _ enable: Bool, _ token: UInt64) async {
    let found = place { step in
      if case .subscribe(handle, enable, _) = step { true } else { false }
    }
    if let found, case .subscribe(_, _, let status) = steps[found]?.content {
      steps[found] = nil
      return await deliver(.subscribed(handle: handle, status: status), token: token)
    }
    // A bonded meter keeps its subscriptions; its values show that it had this one.
    guard facts.heard.contains(handle) || !enable else { return unanswered("switch on the values of handle \(handle)") }
    await deliver(.subscribed(handle: handle, status: 0), token: token)
  }

  private mutating func read(_ handle: UInt16, _ token: UInt64) async {
    let found = place { if case .read(handle, _, _) = $0 { true } else { false } }
    // What was read once may be read again.
    let answer = found.flatMap { steps[$0] } ?? facts.lastReads[handle]
    guard case .read(_, let value, let status) = answer?.content else { return unanswered("read handle \(handle)") }
    await deliver(.read(handle: handle, value, status: status), token: token)
  }

  /// - Parameter token: nil: no answer is wanted.
  private mutating func write(_ handle: UInt16, _ value: [UInt8], _ token: UInt64?) async {
    func written(_ content: CapturedStep.Content) -> [UInt8]? {
      switch content {
      case .write(handle, let value, _), .writeNoResponse(handle, let value): value
      default: nil
      }
    }
    let what = "write \(value.hexadecimal) to handle \(handle)"
    let exact = place { written($0) == value }
    let nearest = exact == nil ? place { written($0) != nil } : exact
    guard let found = nearest, let content = steps[found]?.content else { return unanswered(what) }
    if let other = written(content), other != value {
      note("the driver asked to \(what); the capture has \(other.hexadecimal) in its place")
    }
    // What the meter had said by itself before it was written to.
    while !hasEnded, next < found {
      guard let step = nextStep(), next < found else { break }
      next += 1
      now = max(now, step.unixMicroseconds)
      await hear(step)
    }
    steps[found] = nil
    guard !hasEnded, let token else { return }
    let status: Int32 = if case .write(_, _, let status) = content { status } else { 0 }
    await deliver(.wrote(handle: handle, status: status), token: token)
  }

  /// The next step of a kind.
  private mutating func place(_ isIt: (CapturedStep.Content) -> Bool) -> Int? {
    let found = steps[next...].firstIndex { step in step.map { isIt($0.content) } ?? false }
    visits += (found ?? steps.count) - next
    return found
  }

  private mutating func unanswered(_ what: String) {
    note("the driver asked to \(what), and the capture does not answer")
  }
}

/// What a capture tells at any time, looked up once.
private struct CapturedFacts {
  private(set) var mtu: UInt16?
  private(set) var level: Int32?
  /// Handles whose values came.
  private(set) var heard: Set<UInt16> = []
  private(set) var lastReads: [UInt16: CapturedStep] = [:]

  init(_ steps: [CapturedStep]) {
    for step in steps {
      switch step.content {
      case .mtu(let found): mtu = mtu ?? found
      case .fact(.encrypted(let found)): level = level ?? found
      case .fact(.notification(let handle, _)), .fact(.indication(let handle, _)): heard.insert(handle)
      case .read(let handle, _, _): lastReads[handle] = step
      default: break
      }
    }
  }
}
