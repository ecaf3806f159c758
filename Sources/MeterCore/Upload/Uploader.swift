internal import Foundation

/// Delivers what the store has pending, in the background, each revision once as far as the receiver's answers tell.
///
/// Deliveries go out in small rounds. A record that fails waits by itself; when a whole round fails, the receiver is
/// taken as out of reach and everything waits. All waiting is on a clock that no wall-clock step moves.
public actor Uploader {
  private let store: MeterStore
  private let sink: String
  private let endpoint: ReceiverEndpoint
  private let transport: any HTTPTransport
  private let policy: DeliveryPolicy
  private let clock: any UploadClock
  private let concurrency: Int
  private let jitter: @Sendable () -> Double
  private let encoder = InformV2Encoder()

  private var pausedUntil: Duration = .zero
  private var failedRounds = 0
  private var notBefore: [LogID: Duration] = [:]
  /// Answers that could not be filed; filed before anything else is sent.
  private var unfiled: [(DeliveryTicket, DeliveryResolution)] = []
  private var unvalidatedToken: Int64?
  private var totals = Totals()
  private var currentPass: Task<Void, Never>?
  private var listeners: [Int: AsyncStream<UploadEvent>.Continuation] = [:]
  private var nextListener = 0

  private struct Totals {
    var delivered = 0
    var dead = 0
    var ended = 0
  }

  /// An uploader for one sink.
  ///
  /// - Parameters:
  ///   - store: Where deliveries come from.
  ///   - sink: The sink's name in the store.
  ///   - endpoint: Where the receiver listens.
  ///   - transport: The way to it.
  ///   - policy: What follows an attempt.
  ///   - clock: For waiting.
  ///   - concurrency: Requests at a time.
  ///   - jitter: Random numbers from 0 to 1.
  public init(
    store: MeterStore, sink: String = MeterStore.defaultSink, endpoint: ReceiverEndpoint,
    transport: any HTTPTransport, policy: DeliveryPolicy = DeliveryPolicy(),
    clock: any UploadClock = SystemUploadClock(), concurrency: Int = 4,
    jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
  ) {
    self.store = store
    self.sink = sink
    self.endpoint = endpoint
    self.transport = transport
    self.policy = policy
    self.clock = clock
    self.concurrency = max(1, concurrency)
    self.jitter = jitter
  }

  /// What happens from now on.
  public func events() -> AsyncStream<UploadEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: UploadEvent.self)
    nextListener += 1
    let number = nextListener
    listeners[number] = continuation
    continuation.onTermination = { [weak self] _ in Task { await self?.removeListener(number) } }
    return stream
  }

  private func removeListener(_ number: Int) { listeners[number] = nil }
  private func emit(_ event: UploadEvent) { for listener in listeners.values { listener.yield(event) } }

  /// Delivers until the task is cancelled: at once after each commit, and when a wait is over.
  public func run() async {
    let changes = store.changes()
    let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let forwarder = Task { for await _ in changes { signal.yield() } }
    var timer: Task<Void, Never>?
    defer {
      forwarder.cancel()
      timer?.cancel()
    }
    signal.yield()
    for await _ in signals {
      await onePass()
      timer?.cancel()
      guard let time = nextTime() else { continue }
      timer = Task { [clock] in if (try? await clock.sleep(until: time)) != nil { signal.yield() } }
    }
  }

  /// Delivers what can be delivered now; returns when nothing is pending or everything left waits for a later attempt.
  public func drain() async -> DrainReport {
    let before = totals
    await onePass()
    var waiting = unfiled.count
    do { waiting = try store.pendingCount(sink: sink) } catch { emit(.storeFailed(error)) }
    let next = waiting == 0 ? nil : nextTime().map { max(.zero, $0 - clock.now()) }
    return DrainReport(
      delivered: totals.delivered - before.delivered, dead: totals.dead - before.dead, waiting: waiting,
      nextTry: next, sessionEnded: totals.ended > before.ended)
  }

  /// Delivers at once what waits for a later attempt, as a person asks who knows that the receiver is back.
  public func flush() async -> DrainReport {
    pausedUntil = .zero
    failedRounds = 0
    notBefore = [:]
    return await drain()
  }

  /// When to look again; nil when only a commit makes new work.
  private func nextTime() -> Duration? {
    let now = clock.now()
    if pausedUntil > now { return pausedUntil }
    return notBefore.values.min()
  }

  // MARK: One pass

  /// A pass of its own after the one that may be going on: what was committed before the call is looked at.
  private func onePass() async {
    while let pass = currentPass { await pass.value }
    let pass = Task {
      await deliverAll()
      currentPass = nil
    }
    currentPass = pass
    await withTaskCancellationHandler {
      await pass.value
    } onCancel: {
      pass.cancel()
    }
  }

  private func deliverAll() async {
    do {
      while !Task.isCancelled, clock.now() >= pausedUntil {
        try fileUnfiled()
        guard try !store.isPaused() else { return }
        guard let credential = try store.credential(), await validate(credential) else { return }
        let now = clock.now()
        notBefore = notBefore.filter { $0.value > now }
        let tickets = try store.claim(sink: sink, limit: concurrency, excluding: Set(notBefore.keys))
        if tickets.isEmpty {
          // A backlog that has gone; what a day's readings take is kept for the next ones.
          try store.giveBackSpace(keeping: 1_000)
          return
        }
        try await deliver(tickets)
      }
    } catch {
      emit(.storeFailed(error))
      failedRounds += 1
      pause(policy.decide(.failed(TransportError(.interrupted, "store")), failures: failedRounds, jitter: jitter()))
    }
  }

  private func deliver(_ tickets: [DeliveryTicket]) async throws(StoreError) {
    let round = await withTaskGroup(of: (DeliveryTicket, Attempt).self) { group in
      for ticket in tickets {
        group.addTask { [encoder, endpoint, transport] in
          (ticket, await Attempt.make(ticket, encoder, endpoint, transport))
        }
      }
      var answers: [(DeliveryTicket, Attempt)] = []
      for await answer in group { answers.append(answer) }
      return answers
    }
    let decisions = round.map { ticket, attempt in
      attempt.refusal.map { DeliveryDecision.dead(reason: $0) }
        ?? policy.decide(attempt.outcome, failures: ticket.attempts, jitter: jitter())
    }
    pauseAfter(zip(round.map(\.1), decisions).map { ($0, $1) })
    for ((ticket, attempt), decision) in zip(round, decisions) {
      unfiled.append((ticket, resolution(ticket, attempt, decision)))
    }
    try fileUnfiled()
    let refused = zip(round, decisions).first { $0.1 == .endSession }
    if let ticket = refused?.0.0 { try end(refusedToken: ticket.pin.tokenSerial) }
  }

  /// A round in which the receiver judged one record at least shows that it works; else everything waits.
  private func pauseAfter(_ round: [(Attempt, DeliveryDecision)]) {
    let isAlive = round.contains { if case .retry = $0.1 { false } else { true } }
    failedRounds = isAlive ? 0 : failedRounds + 1
    for (attempt, decision) in round where attempt.retryAfterSeconds != nil { pause(decision) }
    guard !isAlive, let first = round.first else { return }
    pause(policy.decide(first.0.outcome, failures: failedRounds, jitter: jitter()))
  }

  private func pause(_ decision: DeliveryDecision) {
    guard case .retry(let wait) = decision else { return }
    pausedUntil = max(pausedUntil, clock.now() + wait)
  }

  private func resolution(
    _ ticket: DeliveryTicket, _ attempt: Attempt, _ decision: DeliveryDecision
  ) -> DeliveryResolution {
    switch decision {
    case .delivered: return .delivered(receiverID: attempt.receiverID)
    case .dead(let reason): return .dead(reason: reason, error: attempt.text)
    // Ending the session takes the record away; pending is right if that fails or a newer token is there.
    case .endSession: return .retry(error: attempt.text, nextTryMicroseconds: nil)
    case .retry(let wait):
      let time = clock.now() + wait
      notBefore[ticket.record.logID] = time
      let wallClock = MeterStore.nowMicroseconds + Int64(wait.milliseconds) * 1000
      return .retry(error: attempt.text, nextTryMicroseconds: wallClock)
    }
  }

  private func fileUnfiled() throws(StoreError) {
    while let (ticket, resolution) = unfiled.first {
      let applied = try store.resolve(ticket, resolution)
      unfiled.removeFirst()
      if applied { report(ticket, resolution) }
    }
  }

  private func report(_ ticket: DeliveryTicket, _ resolution: DeliveryResolution) {
    let logID = ticket.record.logID
    switch resolution {
    case .delivered(let receiverID):
      totals.delivered += 1
      notBefore[logID] = nil
      emit(.recordSubmitted(logID: logID, revision: ticket.pin.revision, receiverID: receiverID))
    case .dead(let reason, let error):
      totals.dead += 1
      notBefore[logID] = nil
      emit(
        .recordSubmissionFailed(
          logID: logID, revision: ticket.pin.revision, reason: error.isEmpty ? reason : "\(reason): \(error)"))
    case .retry(let error, _):
      let wait = max(.zero, max(notBefore[logID] ?? .zero, pausedUntil) - clock.now())
      emit(.retrying(logID: logID, after: wait, error: error))
    }
  }

  // MARK: The session

  /// Validates a new token (C2).
  ///
  /// - Returns: Whether deliveries may go out.
  private func validate(_ credential: DeliveryCredential) async -> Bool {
    guard !credential.isValidated, unvalidatedToken != credential.tokenSerial else { return true }
    let attempt = await Attempt.send(endpoint.request("GET", endpoint.user, token: credential.token), transport)
    let decision = policy.decide(attempt.outcome, failures: failedRounds + 1, jitter: jitter())
    do {
      switch decision {
      case .delivered:
        failedRounds = 0
        // Another user's token: every upload would give one person's readings to another.
        guard !TokenOwner.contradicts(credential.user, in: attempt.answer) else {
          try end(refusedToken: credential.tokenSerial)
          return false
        }
        try store.markValidated(tokenSerial: credential.tokenSerial)
        emit(.sessionValidated(credential.user))
        return true
      case .endSession:
        try end(refusedToken: credential.tokenSerial)
        return false
      case .dead:
        // A receiver without this call: its answers to uploads tell as much.
        unvalidatedToken = credential.tokenSerial
        emit(.sessionUnvalidated(credential.user, reason: attempt.text))
        return true
      case .retry:
        failedRounds += 1
        pause(decision)
        emit(.sessionUnvalidated(credential.user, reason: attempt.text))
        return false
      }
    } catch {
      emit(.storeFailed(error))
      pause(policy.decide(.failed(TransportError(.interrupted, "store")), failures: failedRounds, jitter: jitter()))
      return false
    }
  }

  private func end(refusedToken serial: Int64) throws(StoreError) {
    guard let ended = try store.endSession(refusedToken: serial) else { return }
    totals.ended += 1
    notBefore = [:]
    emit(.sessionEnded(ended))
  }
}
