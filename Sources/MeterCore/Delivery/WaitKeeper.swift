import HostPrimitives

/// Keeps what a lane waits for in the state folder, so that the next process goes on waiting.
struct WaitKeeper: Sendable {
  /// What a lane waits for.
  struct Wait: Sendable, Hashable {
    /// Nothing is sent before this time.
    var pausedUntil: HostInstant = .boot
    /// The part of the pause that the receiver itself has asked for (Retry-After).
    var askedUntil: HostInstant = .boot
    /// No image that was refused is sent before this time.
    var restUntil: HostInstant = .boot
    /// How many attempts in a row have failed.
    var failures = 0
    /// What the last of them came to.
    var error = ""

    /// Lengthens the pause.
    ///
    /// - Parameter isAsked: Whether the receiver itself has asked for it.
    mutating func pause(until time: HostInstant, isAsked: Bool = false) {
      pausedUntil = max(pausedUntil, time)
      if isAsked { askedUntil = max(askedUntil, pausedUntil) }
    }

    /// Forgets what only failed attempts have caused.
    mutating func forgetFailures() {
      pausedUntil = askedUntil
      failures = 0
    }
  }

  private let store: MeterStore
  private let sink: String
  private let lane: SinkWait.Lane
  private let clock: any HostClock
  private var isRestored = false
  /// The token that the sink had then.
  private var tokenSerial: Int64?
  private var kept: Wait?

  init(_ store: MeterStore, sink: String, _ lane: SinkWait.Lane, clock: any HostClock) {
    self.store = store
    self.sink = sink
    self.lane = lane
    self.clock = clock
  }

  /// Takes up what an earlier process has left to wait for, or what was noted when the sink got the token that it has now.
  ///
  /// - Returns: Whether the wait was read: the first time, and with each new token.
  mutating func restore(_ wait: inout Wait) throws(StoreError) -> Bool {
    let serial = try store.tokenSerial(of: sink)
    guard !isRestored || serial != tokenSerial else { return false }
    let (now, boot) = (clock.now, BootClock(clock))
    let stored = try store.sinkWait(sink, lane)
    (isRestored, tokenSerial) = (true, serial)
    kept = nil
    wait = Wait()
    guard let stored else { return true }
    wait = Wait(
      pausedUntil: now + stored.left(at: boot), askedUntil: now + stored.askedLeft(at: boot),
      restUntil: now + stored.restLeft(at: boot), failures: stored.failures, error: stored.error)
    kept = wait
    // From here on it is counted by this boot's time, which no step of the date moves.
    if stored.bootID != boot.bootID { try write(wait) }
    return true
  }

  /// Keeps what a lane waits for now.
  mutating func keep(_ wait: Wait) throws(StoreError) {
    let now = clock.now
    let isOver = wait.pausedUntil <= now && wait.restUntil <= now && wait.failures == 0
    guard isOver ? kept != nil : kept != wait else { return }
    if isOver { try store.setSinkWait(nil, sink: sink, lane) } else { try write(wait) }
    kept = isOver ? nil : wait
  }

  private func write(_ wait: Wait) throws(StoreError) {
    let now = clock.now
    try store.setSinkWait(
      SinkWait(
        noted: BootClock(clock), pause: max(.zero, wait.pausedUntil - now), asked: max(.zero, wait.askedUntil - now),
        rest: max(.zero, wait.restUntil - now), failures: wait.failures, error: wait.error), sink: sink, lane)
  }

  /// Forgets everything: a person says that the receiver is back.
  mutating func forget() throws(StoreError) {
    isRestored = true
    kept = nil
    try store.forgetWaits(sink: sink)
  }
}
