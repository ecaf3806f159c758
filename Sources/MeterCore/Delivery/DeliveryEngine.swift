package import HostPrimitives

/// Delivers what the store has pending for one sink, in the background, each revision once as far as the receiver's
/// answers tell.
///
/// Records go out in small rounds. One that fails waits by itself; when a whole round fails, the receiver is taken as out
/// of reach and everything waits. Images follow their records in a lane of their own and never hold records up. All
/// waiting is on a clock that no wall-clock step moves.
public actor DeliveryEngine {
  let store: MeterStore
  /// The sink's name in the store.
  public nonisolated let sink: String
  /// What the receiver is reached by, as the store keeps it.
  let target: SinkTarget?
  /// The way to the receiver.
  let receiver: any Sink
  let policy: DeliveryPolicy
  let clock: any HostClock
  let settings: DeliverySettings
  let jitter: @Sendable () -> Double
  let pacer: RequestPacer
  private let images: ImageLane

  var wait = WaitKeeper.Wait()
  private var keeper: WaitKeeper
  var notBefore: [LogID: HostInstant] = [:]
  /// Which records fail for themselves.
  var lonely: LonelyFailures<LogID>
  /// When the next pass has something to do; nil when only a change in the store brings it something. The pass itself says so at
  /// its end: who asked for the waits later would find one that is over by then, and set no timer.
  var nextLook: HostInstant?
  /// Answers that could not be filed; filed before anything else is sent.
  var unfiled: [(ticket: DeliveryTicket, resolution: DeliveryResolution)] = []
  var unvalidatedToken: Int64?
  /// The token with which a receiver that seemed unable to say whose it is has taken a reading.
  var acceptedToken: Int64?
  /// The question to the receiver that is on its way.
  var validation: (tokenSerial: Int64, task: Task<TokenUse, Never>)?
  var skew: ClockSkew?
  var totals = DrainReport()
  private var currentPass: Task<Void, Never>?
  /// Whether readings are with the sink, which has not replied yet.
  var isSending = false
  /// What the receiver has said of readings before the sink's reply of them was filed.
  var early: [SinkConfirmation] = []
  private var listeners: [Int: DeliveryEventBuffer] = [:]
  private var nextListener = 0

  /// An engine for one sink.
  ///
  /// - Parameters:
  ///   - store: Where deliveries come from.
  ///   - sink: The sink's name in the store.
  ///   - target: The sink's kind and setting in the store, of which `receiver` was made: once the store has others, nothing
  ///     more goes out. Nil: whatever the store has.
  ///   - receiver: The way to the receiver.
  ///   - settings: Concurrency and rate.
  public init(
    store: MeterStore, sink: String = MeterStore.defaultSink, target: SinkTarget? = nil, receiver: any Sink,
    settings: DeliverySettings = DeliverySettings()
  ) {
    self.init(store: store, sink: sink, target: target, receiver: receiver, settings: settings, clock: .system)
  }

  /// - Parameters:
  ///   - policy: What follows an attempt.
  ///   - clock: For waiting, and to compare its date with the receiver's.
  ///   - jitter: Random numbers from 0 to 1.
  package init(
    store: MeterStore, sink: String = MeterStore.defaultSink, target: SinkTarget? = nil, receiver: any Sink,
    settings: DeliverySettings = DeliverySettings(),
    policy: DeliveryPolicy = DeliveryPolicy(), clock: any HostClock = .system,
    jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
  ) {
    self.store = store
    self.sink = sink
    self.target = target
    self.receiver = receiver
    self.settings = settings.bounded
    lonely = LonelyFailures(limit: settings.bounded.concurrency)
    self.policy = policy
    self.clock = clock
    self.jitter = jitter
    pacer = RequestPacer(requestsPerSecond: settings.bounded.requestsPerSecond, clock: clock)
    keeper = WaitKeeper(store, sink: sink, .records, clock: clock)
    images = ImageLane(
      store: store, sink: sink, target: target, receiver: receiver, policy: policy, clock: clock, pacer: pacer,
      jitter: jitter)
  }

  /// What happens from now on, in a bounded buffer: a slow listener hears ``DeliveryEvent/missed(_:)``.
  public func events() -> AsyncStream<DeliveryEvent> {
    nextListener += 1
    let number = nextListener
    let (stream, buffer) = DeliveryEventBuffer.make()
    buffer.onEnd { [weak self] in Task { await self?.removeListener(number) } }
    listeners[number] = buffer
    return stream
  }

  private func removeListener(_ number: Int) { listeners[number] = nil }
  func emit(_ event: DeliveryEvent) { for listener in listeners.values { listener.tell(event) } }

  // MARK: Background

  /// Delivers until the task is cancelled: at once after each commit, when a wait is over, and when the network changes.
  ///
  /// - Parameter networkChanges: An element each time that the receiver may have come into reach; what waits only because
  ///   attempts have failed is tried at once then.
  public func run(networkChanges: AsyncStream<Void>? = nil) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.serve(.records, self.store.changes()) }
      group.addTask { await self.serve(.images, self.store.changes()) }
      if receiver.capabilities.confirmsLater {
        group.addTask {
          for await confirmation in await self.receiver.confirmations() { await self.take(confirmation) }
        }
      }
      group.addTask { await self.serveReceiver() }
      if let networkChanges {
        group.addTask { for await _ in networkChanges { await self.tryAtOnce() } }
      }
    }
    leave()
    await images.leave()
  }

  enum Lane { case records, images }

  /// Wakes a sink that wants to know how its deliveries stand.
  var surroundingsChanged: AsyncStream<Void>.Continuation?

  private var signals: [Lane: AsyncStream<Void>.Continuation] = [:]

  private func serve(_ lane: Lane, _ changes: AsyncStream<Void>) async {
    let (stream, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    signals[lane] = signal
    let forwarder = Task { for await _ in changes { signal.yield() } }
    var timer: Task<Void, Never>?
    defer {
      forwarder.cancel()
      timer?.cancel()
    }
    signal.yield()
    for await _ in stream {
      let time: HostInstant?
      switch lane {
      case .records:
        await onePass()
        time = nextLook
      case .images:
        await imagePass()
        time = await images.nextLook
      }
      timer?.cancel()
      guard let time else { continue }
      timer = Task { [clock] in if (try? await clock.sleep(until: time)) != nil { signal.yield() } }
    }
  }

  /// Lets the image lane look: a record was accepted, so that its images may follow, or the token.
  func wakeImages() { signals[.images]?.yield() }

  /// Lets the lane of records look: one of them waits for something else now.
  func wakeRecords() { signals[.records]?.yield() }

  private func wakeAll() { for signal in signals.values { signal.yield() } }

  /// Forgets waits that only failed attempts have caused; what the receiver has asked for is kept.
  func tryAtOnce() async {
    restoreOrTell()
    wait.forgetFailures()
    notBefore = [:]
    keepWait()
    do { try await images.forgetFailures() } catch { emit(.storeFailed(error)) }
    wakeAll()
  }

  /// Whether nothing is sent to the receiver before a wait is over.
  package var isWaiting: Bool { wait.pausedUntil > clock.now }

  /// Takes up what is to be waited for: what an earlier process has left, and what a new token has changed.
  func restoreWaits() throws(StoreError) {
    guard try keeper.restore(&wait) else { return }
    notBefore = [:]
    let now = clock.now
    for postponed in try store.postponed(sink: sink, now: clock.unixMicroseconds, longest: policy.cap) {
      notBefore[postponed.logID] = now + postponed.left
    }
  }

  func restoreOrTell() { do { try restoreWaits() } catch { emit(.storeFailed(error)) } }

  /// Keeps on disk what is waited for.
  func keepWait() { do { try keeper.keep(wait) } catch { emit(.storeFailed(error)) } }

  // MARK: On demand

  /// Delivers what can be delivered now; returns when nothing is pending or everything left waits for a later attempt.
  public func drain() async -> DrainReport {
    let before = totals
    let imagesBefore = await images.totals
    await onePass()
    await imagePass()
    var report = DrainReport(
      delivered: totals.delivered - before.delivered, dead: totals.dead - before.dead, waiting: unfiled.count,
      sessionEnded: totals.sessionEnded)
    totals.sessionEnded = false
    let imagesAfter = await images.totals
    report.images = imagesAfter.delivered - imagesBefore.delivered
    report.deadImages = imagesAfter.dead - imagesBefore.dead
    do {
      report.waiting = try store.pendingCount(sink: sink)
      report.waitingImages = try store.pendingImageCount(sink: sink)
    } catch {
      emit(.storeFailed(error))
    }
    var times: [HostInstant] = []
    if report.waiting > 0, let time = nextLook { times.append(time) }
    if report.waitingImages > 0, let time = await images.nextLook { times.append(time) }
    report.nextTry = times.min().map { max(.zero, $0 - clock.now) }
    // The timers of ``run(networkChanges:)`` are set to what was waited for before.
    wakeAll()
    return report
  }

  /// Delivers at once what waits for a later attempt, as a person asks who knows that the receiver is back.
  public func flush() async -> DrainReport {
    // What goes on at the moment may fail and ask for a wait of its own.
    while let pass = currentPass { await pass.value }
    await images.becomeIdle()
    wait = WaitKeeper.Wait()
    notBefore = [:]
    do {
      try keeper.forget()
      try await images.forgetWaits()
    } catch { emit(.storeFailed(error)) }
    return await drain()
  }

  /// A pass of its own after the one that may be going on: what was committed before the call is looked at.
  func onePass() async {
    while let pass = currentPass { await pass.value }
    let pass = Task {
      await deliverAll()
      surroundingsChanged?.yield()
      currentPass = nil
    }
    currentPass = pass
    await withTaskCancellationHandler {
      await pass.value
    } onCancel: {
      pass.cancel()
    }
  }

  private func imagePass() async {
    await images.pass(
      maySend: { [weak self] in await self?.validate($0) ?? .refused },
      accepted: { [weak self] in await self?.noteAccepted($0) },
      refused: { [weak self] in await self?.tokenIsRefused($0) },
      tell: { [weak self] in await self?.emit($0) })
  }
}
