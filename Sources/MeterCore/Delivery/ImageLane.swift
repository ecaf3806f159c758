import HostPrimitives

/// Sends the images of records that a receiver has accepted, one at a time, with waits of their own: an image that fails
/// or is large holds no record up, and no other image for long.
///
/// Each attempt costs megabytes. An image that an answer refuses, if not for good, or that fails while the receiver takes others, is
/// sent ever more rarely, and those that were refused take turns.
actor ImageLane {
  struct Totals: Sendable, Hashable {
    var delivered = 0
    var dead = 0
  }

  private let store: MeterStore
  private let sink: String
  private let target: SinkTarget?
  private let receiver: any Sink
  private let policy: DeliveryPolicy
  private let clock: any HostClock
  private let pacer: RequestPacer
  private let jitter: @Sendable () -> Double

  private var wait = WaitKeeper.Wait()
  private var keeper: WaitKeeper
  private var notBefore: [Int64: HostInstant] = [:]
  /// Which images fail for themselves. They go out one at a time, so that the first that fails tells nothing of the others.
  private var lonely = LonelyFailures<Int64>(limit: 4, doubted: 1)
  /// The images that an answer has refused, or that an earlier process has left to wait for long.
  private var refusals: Set<Int64> = []
  /// The longest that the refusal of one image keeps the other refused ones back.
  private static let longestRest = Duration.seconds(2 * 3600)
  /// When the next pass has something to do; nil when only a change in the store brings it something.
  private(set) var nextLook: HostInstant?
  /// An answer that could not be filed; filed before anything else is sent.
  private var unfiled: (ticket: ImageTicket, resolution: DeliveryResolution, reply: SinkReply)?
  private(set) var totals = Totals()
  private var isBusy = false
  private var waiters: [CheckedContinuation<Void, Never>] = []

  typealias MaySend = @Sendable (DeliveryCredential) async -> TokenUse
  typealias Accepted = @Sendable (DeliveryCredential) async -> Void
  typealias Refused = @Sendable (_ tokenSerial: Int64) async -> Void
  typealias Tell = @Sendable (DeliveryEvent) async -> Void

  init(
    store: MeterStore, sink: String, target: SinkTarget?, receiver: any Sink, policy: DeliveryPolicy,
    clock: any HostClock, pacer: RequestPacer, jitter: @escaping @Sendable () -> Double
  ) {
    self.store = store
    self.sink = sink
    self.target = target
    self.receiver = receiver
    self.policy = policy
    self.clock = clock
    self.pacer = pacer
    self.jitter = jitter
    keeper = WaitKeeper(store, sink: sink, .images, clock: clock)
  }

  /// Takes up what is to be waited for: what an earlier process has left, and what a new token has changed.
  private func restoreWaits() throws(StoreError) {
    guard try keeper.restore(&wait) else { return }
    forgetOwnWaits()
    let now = clock.now
    for image in try store.postponedImages(sink: sink, now: clock.unixMicroseconds, longest: policy.longestImageWait) {
      // Also one whose time has come: those that are due together still take turns.
      if image.error.hasSuffix(Self.rareWords) || image.left > policy.cap { refusals.insert(image.row) }
      if image.left > .zero { notBefore[image.row] = now + image.left }
    }
  }

  /// Forgets what failed attempts have caused. What the receiver has asked for is kept, and so is what an answer has refused: the
  /// network had nothing to do with it.
  func forgetFailures() throws(StoreError) {
    try restoreWaits()
    wait.forgetFailures()
    notBefore = notBefore.filter { refusals.contains($0.key) }
    try keeper.keep(wait)
  }

  /// Forgets every wait: a person says that the receiver is back.
  func forgetWaits() throws(StoreError) {
    wait = WaitKeeper.Wait()
    forgetOwnWaits()
    try keeper.forget()
  }

  private func forgetOwnWaits() { (notBefore, refusals) = ([:], []) }

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
      try restoreWaits()
      while !Task.isCancelled {
        nextLook = wait.pausedUntil
        guard clock.now >= wait.pausedUntil else { return }
        if let event = try file() { await tell(event) }
        nextLook = nil
        guard try !store.isPaused(), try store.pendingImageCount(sink: sink) > 0,
          let credential = try store.credential(sink: sink, target: target)
        else { return }
        switch await maySend(credential) {
        case .allowed: break
        case .refused: return
        case .later(let time): return nextLook = time
        }
        let resting = resting(at: clock.now)
        guard let ticket = try store.claimImage(sink: sink, excluding: Set(resting.keys), target: target) else {
          return nextLook = resting.values.min()
        }
        try? await pacer.waitForTurn()
        let reply = await receiver.deliver(
          SinkImage(ticket.image, recordID: ticket.recordID, logID: ticket.logID),
          with: SinkCredential(user: credential.user, token: ticket.token))
        let decision = decide(ticket, reply)
        if let event = try file() { await tell(event) }
        try keeper.keep(wait)
        if decision == .delivered, ticket.tokenSerial == credential.tokenSerial { await accepted(credential) }
        if decision == .credentialRefused { await refused(ticket.tokenSerial) }
      }
    } catch {
      await tell(.storeFailed(error))
      pauseForFailure(.retry())
      nextLook = wait.pausedUntil
    }
  }

  private func pauseForFailure(_ outcome: SinkReply.Outcome) {
    wait.failures += 1
    guard case .retry(let time) = policy.decide(outcome, failures: wait.failures, jitter: jitter()) else { return }
    wait.pause(until: clock.now + time)
  }

  /// The images that are not sent now, and until when.
  private func resting(at now: HostInstant) -> [Int64: HostInstant] {
    notBefore = notBefore.filter { $0.value > now }
    guard wait.restUntil > now else { return notBefore }
    return notBefore.merging(refusals.map { ($0, wait.restUntil) }, uniquingKeysWith: max)
  }

  /// Decides what follows an attempt, and leaves it to be filed.
  private func decide(_ ticket: ImageTicket, _ reply: SinkReply) -> DeliveryDecision {
    // What was refused once stays so until the receiver judges it: that it fails in another way now says nothing of that.
    let isCostly = reply.isAboutItem || lonely.isLonely(ticket.row) || refusals.contains(ticket.row)
    var outcome = reply.outcome
    if case .unconfirmed = outcome { outcome = .retry() }
    let decision = policy.decide(
      outcome, failures: ticket.attempts, jitter: jitter(), cap: isCostly ? policy.longestImageWait : nil)
    let isRare = isCostly && policy.isRare(failures: ticket.attempts)
    unfiled = (ticket, resolution(ticket, reply, decision, isRare: isRare), reply)
    return decision
  }

  private func resolution(
    _ ticket: ImageTicket, _ reply: SinkReply, _ decision: DeliveryDecision, isRare: Bool
  ) -> DeliveryResolution {
    switch decision {
    case .delivered:
      judged(ticket.row)
      // Whatever has refused it is gone: the others need not wait to find that out.
      if refusals.contains(ticket.row) {
        for row in refusals { notBefore[row] = nil }
        (refusals, wait.restUntil) = ([], .boot)
      }
      return .delivered(receiverID: reply.deliveredID)
    case .dead(let reason):
      judged(ticket.row)
      refusals.remove(ticket.row)
      return .dead(reason: reason, error: reply.text)
    // Of a picture a sink's reply is final; one that is not has not delivered it.
    case .unconfirmed: return .retry(error: "its receiver has not confirmed it", nextTryMicroseconds: nil)
    case .credentialRefused: return .retry(error: reply.text, nextTryMicroseconds: nil)
    case .retry(let time):
      failed(ticket.row, reply, time)
      return .retry(
        error: reply.text + (isRare ? Self.rareWords : ""),
        nextTryMicroseconds: clock.unixMicroseconds + Int64(time.milliseconds) * 1000)
    }
  }

  private static let rareWords = "; it is sent again ever more rarely, at once by `meterhost queue flush`"

  /// The receiver has taken an image, or refused it for good.
  private func judged(_ row: Int64) {
    wait.failures = 0
    lonely.judged(row)
    _ = lonely.failed([], besideJudged: true)
  }

  private func failed(_ row: Int64, _ reply: SinkReply, _ time: Duration) {
    let now = clock.now
    notBefore[row] = now + time
    if reply.isAboutItem {
      refusals.insert(row)
      wait.restUntil = max(wait.restUntil, now + min(time, Self.longestRest))
    }
    if reply.isAsked {
      wait.error = reply.text
      wait.pause(until: now + time, isAsked: true)
    }
    guard lonely.failed([row], besideJudged: false) else { return }
    wait.error = reply.text
    pauseForFailure(reply.outcome)
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
  private func file() throws(StoreError) -> DeliveryEvent? {
    guard let (ticket, resolution, reply) = unfiled else { return nil }
    let (id, address) = (reply.deliveredID, reply.deliveredAddress)
    let isApplied = try store.resolve(ticket, resolution, url: address)
    unfiled = nil
    guard isApplied else { return nil }
    let (logID, image) = (ticket.logID, ticket.image.checksum)
    switch resolution {
    case .delivered:
      totals.delivered += 1
      notBefore[ticket.row] = nil
      return .recordImageSubmitted(logID: logID, image: image, mediaID: id, url: address, sink: sink)
    case .dead(let reason, let error):
      totals.dead += 1
      notBefore[ticket.row] = nil
      let text = error.isEmpty ? reason : "\(reason): \(error)"
      return .recordImageSubmissionFailed(logID: logID, image: image, reason: text, sink: sink)
    // Never of a picture.
    case .unconfirmed: return nil
    case .retry(let error, _):
      let time = max(.zero, max(notBefore[ticket.row] ?? .boot, wait.pausedUntil) - clock.now)
      return .imageRetrying(logID: logID, image: image, after: time, error: error, sink: sink)
    }
  }
}
