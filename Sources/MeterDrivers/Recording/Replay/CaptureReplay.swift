import DriverRuntime

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
  private var steps: [CapturedStep?]
  private let captured: [CapturedStep]
  private var next = 0
  private var pending: [DriverAction] = []
  private var timers: [UInt64: Int64] = [:]
  private var now: Int64
  private var hasEnded = false
  private(set) var events = 0
  private(set) var records: [DriverRecord] = []
  private(set) var words: [String] = []
  private(set) var fault: DriverFault?

  /// A driver that goes on and on is stopped.
  static let mostEvents = 200_000
  /// How long timers run on behind the end of the capture, microseconds.
  static let patience: Int64 = 60_000_000

  init(_ steps: [CapturedStep], session: any DriverSession) {
    self.session = session
    self.steps = steps
    captured = steps
    now = steps.first?.unixMicroseconds ?? 0
  }

  mutating func run() async {
    while !hasEnded, events < Self.mostEvents {
      if !pending.isEmpty {
        await carryOut(pending.removeFirst())
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
    if !hasEnded { words.append("the driver did not end after \(events) events") }
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
      if !unit.sessionGoesOn { hasEnded = true }
      for action in unit.actions { take(action) }
    } catch {
      fault = error
      words.append("the driver failed at event \(events): \(error.message)")
      hasEnded = true
    }
    if case .disconnected = fact { hasEnded = true }
  }

  private mutating func take(_ action: DriverAction) {
    switch action {
    case .timer(let token, let nanoseconds): timers[token] = now + Int64(clamping: nanoseconds / 1000)
    case .cancelTimer(let token): timers[token] = nil
    case .finish: hasEnded = true
    case .fail(let code, _, let text):
      words.append("the driver gave up (\(code)): \(text)")
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
    case .exchangeMTU(_, let token):
      let agreed = captured.lazy.compactMap { step in if case .mtu(let mtu) = step.content { mtu } else { nil } }.first
      await deliver(.mtu(agreed ?? 23), token: token)
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
    let level = captured.lazy.compactMap { step in
      if case .fact(.encrypted(let level)) = step.content { level } else { nil }
    }.first
    guard let level else { return unanswered("pair") }
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
    let isHeard = captured.contains { step in
      switch step.content {
      case .fact(.notification(handle, _)), .fact(.indication(handle, _)): true
      default: false
      }
    }
    guard isHeard || !enable else { return unanswered("switch on the values of handle \(handle)") }
    await deliver(.subscribed(handle: handle, status: 0), token: token)
  }

  private mutating func read(_ handle: UInt16, _ token: UInt64) async {
    let isIt: (CapturedStep.Content) -> Bool = { if case .read(handle, _, _) = $0 { true } else { false } }
    // What was read once may be read again.
    let answer = place(isIt).flatMap { steps[$0] } ?? captured.last { isIt($0.content) }
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
    let what = "write \(hexDigits(value)) to handle \(handle)"
    guard let found = place({ written($0) == value }) ?? place({ written($0) != nil }),
      let content = steps[found]?.content
    else { return unanswered(what) }
    if let other = written(content), other != value {
      words.append("the driver asked to \(what); the capture has \(hexDigits(other)) in its place")
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
  private func place(_ isIt: (CapturedStep.Content) -> Bool) -> Int? {
    steps[next...].firstIndex { step in step.map { isIt($0.content) } ?? false }
  }

  private mutating func unanswered(_ what: String) {
    words.append("the driver asked to \(what), and the capture does not answer")
  }
}
