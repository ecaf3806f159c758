import Synchronization

/// A clock that stands still until a test moves it.
final class StoppedClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct State {
    var now = Instant(offset: .zero)
    var next = 0
    var sleepers: [Int: (Instant, CheckedContinuation<Void, any Error>)] = [:]
    var cancelled: Set<Int> = []
    var watchers: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())
  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .nanoseconds(1) }

  func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now.offset += duration
      let due = state.sleepers.filter { $0.value.0 <= state.now }
      for key in due.keys { state.sleepers[key] = nil }
      return due.values.map(\.1)
    }
    for sleeper in due { sleeper.resume() }
  }

  /// Waits until somebody sleeps.
  func someoneSleeps() async {
    await withCheckedContinuation { watcher in
      let isNow = state.withLock { state in
        if state.sleepers.isEmpty { state.watchers.append(watcher) }
        return !state.sleepers.isEmpty
      }
      if isNow { watcher.resume() }
    }
  }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let (result, watchers): (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) = state.withLock {
          state in
          if state.cancelled.contains(number) { return (.failure(CancellationError()), []) }
          if state.now >= deadline { return (.success(()), []) }
          state.sleepers[number] = (deadline, continuation)
          defer { state.watchers = [] }
          return (nil, state.watchers)
        }
        if let result { continuation.resume(with: result) }
        for watcher in watchers { watcher.resume() }
      }
    } onCancel: {
      let sleeper = state.withLock {
        $0.cancelled.insert(number)
        return $0.sleepers.removeValue(forKey: number)
      }
      sleeper?.1.resume(throwing: CancellationError())
    }
  }
}
