import HostPrimitives

/// Keeps what a lane waits for in the state folder, so that the next process goes on waiting.
struct WaitKeeper: Sendable {
  /// What a lane waits for.
  struct Wait: Sendable, Hashable {
    /// Nothing is sent before this time.
    var pausedUntil: HostInstant = .boot
    /// The part of the pause that the receiver itself has asked for (Retry-After).
    var askedUntil: HostInstant = .boot
    /// How many attempts in a row have failed.
    var failures = 0
    /// What the last of them came to.
    var error = ""

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
  private(set) var isRestored = false
  private var kept: Wait?

  init(_ store: MeterStore, sink: String, _ lane: SinkWait.Lane, clock: any HostClock) {
    self.store = store
    self.sink = sink
    self.lane = lane
    self.clock = clock
  }

  /// What an earlier process has left to wait for, once; nil for nothing.
  mutating func restore() throws(StoreError) -> Wait? {
    guard !isRestored else { return nil }
    let (now, boot) = (clock.now, BootClock(clock))
    let stored = try store.sinkWait(sink, lane)
    isRestored = true
    guard let stored else { return nil }
    let wait = Wait(
      pausedUntil: now + stored.left(at: boot), askedUntil: now + stored.askedLeft(at: boot), failures: stored.failures,
      error: stored.error)
    kept = wait
    // From here on it is counted by this boot's time, which no step of the date moves.
    if stored.bootID != boot.bootID { try write(wait) }
    return wait
  }

  /// Keeps what a lane waits for now.
  mutating func keep(_ wait: Wait) throws(StoreError) {
    let isOver = wait.pausedUntil <= clock.now && wait.failures == 0
    guard isOver ? kept != nil : kept != wait else { return }
    if isOver { try store.setSinkWait(nil, sink: sink, lane) } else { try write(wait) }
    kept = isOver ? nil : wait
  }

  private func write(_ wait: Wait) throws(StoreError) {
    let now = clock.now
    try store.setSinkWait(
      SinkWait(
        noted: BootClock(clock), pause: max(.zero, wait.pausedUntil - now), asked: max(.zero, wait.askedUntil - now),
        failures: wait.failures, error: wait.error), sink: sink, lane)
  }

  /// Forgets everything: a person says that the receiver is back.
  mutating func forget() throws(StoreError) {
    isRestored = true
    kept = nil
    try store.forgetWaits(sink: sink)
  }
}
