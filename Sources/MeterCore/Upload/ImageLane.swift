import HostPrimitives

/// Sends the images of records that a receiver has accepted, one at a time, with waits of their own: an image that fails
/// or is large holds no record up, and no other image for long.
actor ImageLane {
  struct Totals: Sendable, Hashable {
    var delivered = 0
    var dead = 0
  }

  private let store: MeterStore
  private let sink: String
  private let setting: [UInt8]?
  private let calls: WireCalls
  private let transport: any HTTPTransport
  private let policy: DeliveryPolicy
  private let clock: any HostClock
  private let pacer: RequestPacer
  private let jitter: @Sendable () -> Double

  private var wait = WaitKeeper.Wait()
  private var keeper: WaitKeeper
  private var notBefore: [Int64: HostInstant] = [:]
  /// The images that have failed since the receiver took one.
  private var failing: Set<Int64> = []
  /// Whether the last pass has ended before it looked for work: only a change in the store can bring some.
  private var isBlocked = false
  /// An answer that could not be filed; filed before anything else is sent.
  private var unfiled: (ticket: ImageTicket, resolution: DeliveryResolution, attempt: Attempt)?
  private(set) var totals = Totals()
  private var isBusy = false
  private var waiters: [CheckedContinuation<Void, Never>] = []

  typealias MaySend = @Sendable (DeliveryCredential) async -> Bool
  typealias Accepted = @Sendable (DeliveryCredential) async -> Void
  typealias Refused = @Sendable (_ tokenSerial: Int64) async -> Void
  typealias Tell = @Sendable (UploadEvent) async -> Void

  init(
    store: MeterStore, sink: String, setting: [UInt8]?, calls: WireCalls, transport: any HTTPTransport,
    policy: DeliveryPolicy,
    clock: any HostClock, pacer: RequestPacer, jitter: @escaping @Sendable () -> Double
  ) {
    self.store = store
    self.sink = sink
    self.setting = setting
    self.calls = calls
    self.transport = transport
    var policy = policy
    // An image of a kind that the receiver does not take stays one, and is too large to be sent again and again.
    policy.finalStatuses.insert(415)
    self.policy = policy
    self.clock = clock
    self.pacer = pacer
    self.jitter = jitter
    keeper = WaitKeeper(store, sink: sink, .images, clock: clock)
  }

  /// When to look again; nil when only a delivered record makes new work.
  func nextTime() -> HostInstant? {
    if wait.pausedUntil > clock.now { return wait.pausedUntil }
    return isBlocked ? nil : notBefore.values.min()
  }

  /// Forgets what failed attempts have caused; what the receiver has asked for is kept.
  func forgetFailures() {
    wait.forgetFailures()
    notBefore = [:]
  }

  /// Forgets every wait: a person says that the receiver is back.
  func forgetWaits() throws(StoreError) {
    wait = WaitKeeper.Wait()
    notBefore = [:]
    try keeper.forget()
  }

  /// Waits until no pass goes on.
  func becomeIdle() async { while isBusy { await withCheckedContinuation { waiters.append($0) } } }

  /// Sends what can be sent now.
  ///
  /// - Parameters:
  ///   - maySend: Whether the token may be used.
  ///   - accepted: Called when the receiver accepts an image.
  ///   - refused: Called when the receiver refuses the token.
  ///   - tell: Gets the events.
  func pass(maySend: MaySend, accepted: Accepted, refused: Refused, tell: Tell) async {
    await becomeIdle()
    isBusy = true
    defer {
      isBusy = false
      let waiting = waiters
      waiters = []
      for waiter in waiting { waiter.resume() }
    }
    do {
      if let left = try keeper.restore() { wait = left }
      while !Task.isCancelled, clock.now >= wait.pausedUntil {
        if let event = try file() { await tell(event) }
        isBlocked = true
        guard try !store.isPaused(), try store.pendingImageCount(sink: sink) > 0 else { return }
        guard let credential = try store.credential(sink: sink, setting: setting), await maySend(credential) else {
          return
        }
        isBlocked = false
        let now = clock.now
        notBefore = notBefore.filter { $0.value > now }
        guard let ticket = try store.claimImage(sink: sink, excluding: Set(notBefore.keys), setting: setting) else {
          return
        }
        try? await pacer.waitForTurn()
        let request = calls.store(ticket.image, ofRecord: ticket.recordID, token: ticket.token)
        let attempt = await Attempt.send(request, transport, hiding: ticket.token, clock: clock)
        let decision = policy.decide(attempt.outcome, failures: ticket.attempts, jitter: jitter())
        unfiled = (ticket, resolution(ticket, attempt, decision), attempt)
        if let event = try file() { await tell(event) }
        try keeper.keep(wait)
        if decision == .delivered, ticket.tokenSerial == credential.tokenSerial { await accepted(credential) }
        if decision == .endSession { await refused(ticket.tokenSerial) }
      }
    } catch {
      await tell(.storeFailed(error))
      wait.failures += 1
      pause(policy.decide(.failed(TransportError(.interrupted, "store")), failures: wait.failures, jitter: jitter()))
    }
  }

  private func pause(_ decision: DeliveryDecision) {
    guard case .retry(let time) = decision else { return }
    wait.pausedUntil = max(wait.pausedUntil, clock.now + time)
  }

  private func resolution(_ ticket: ImageTicket, _ attempt: Attempt, _ decision: DeliveryDecision) -> DeliveryResolution
  {
    switch decision {
    case .delivered:
      wait.failures = 0
      failing = []
      return .delivered(receiverID: ReceiverAnswer.image(attempt.answer, from: calls.endpoint, hiding: ticket.token).id)
    case .dead(let reason):
      wait.failures = 0
      failing = []
      return .dead(reason: reason, error: attempt.text)
    case .endSession: return .retry(error: attempt.text, nextTryMicroseconds: nil)
    case .retry(let time):
      // What one image fails in is its own; when a second one fails, too, the receiver is taken as out of reach.
      wait.failures += 1
      wait.error = attempt.text
      failing.insert(ticket.row)
      if attempt.retryAfterSeconds != nil {
        pause(decision)
        wait.askedUntil = max(wait.askedUntil, wait.pausedUntil)
      } else if failing.count > 1 {
        pause(policy.decide(attempt.outcome, failures: wait.failures, jitter: jitter()))
      }
      notBefore[ticket.row] = clock.now + time
      return .retry(
        error: attempt.text, nextTryMicroseconds: MeterStore.nowMicroseconds + Int64(time.milliseconds) * 1000)
    }
  }

  /// Files what is left of an answer when nobody will try later, or gives the claim back.
  func leave() {
    guard !isBusy, let ticket = unfiled?.ticket else { return }
    do { _ = try file() } catch {
      store.abandon([UnansweredClaim(table: .media_delivery, row: ticket.row, sink: sink)])
      unfiled = nil
    }
  }

  /// Files the last answer.
  ///
  /// - Returns: What there is to tell; nil when the answer applies to nothing any more.
  private func file() throws(StoreError) -> UploadEvent? {
    guard let (ticket, resolution, attempt) = unfiled else { return nil }
    let stored = ReceiverAnswer.image(attempt.answer, from: calls.endpoint, hiding: ticket.token)
    let isApplied = try store.resolve(ticket, resolution, url: stored.url)
    unfiled = nil
    guard isApplied else { return nil }
    let (logID, image) = (ticket.logID, ticket.image.checksum)
    switch resolution {
    case .delivered:
      totals.delivered += 1
      notBefore[ticket.row] = nil
      return .recordImageSubmitted(logID: logID, image: image, mediaID: stored.id, url: stored.url, sink: sink)
    case .dead(let reason, let error):
      totals.dead += 1
      notBefore[ticket.row] = nil
      let text = error.isEmpty ? reason : "\(reason): \(error)"
      return .recordImageSubmissionFailed(logID: logID, image: image, reason: text, sink: sink)
    case .retry(let error, _):
      let time = max(.zero, max(notBefore[ticket.row] ?? .boot, wait.pausedUntil) - clock.now)
      return .imageRetrying(logID: logID, image: image, after: time, error: error, sink: sink)
    }
  }
}
