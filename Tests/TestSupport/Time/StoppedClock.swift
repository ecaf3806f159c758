package import HostPrimitives
import Synchronization

/// A clock that stands still until a test moves it.
package final class StoppedClock: HostClock {
  private struct State {
    var now = HostInstant.boot
    var unixMicroseconds: Int64?
    var next = 0
    var sleepers: [Int: (HostInstant, CheckedContinuation<Void, any Error>)] = [:]
    var cancelled: Set<Int> = []
    var watchers: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = Mutex(State())

  package init() {}

  package var now: HostInstant { state.withLock { $0.now } }

  /// The machine's own date until a test sets another.
  package var unixMicroseconds: Int64 {
    get { state.withLock(\.unixMicroseconds) ?? SystemClock().unixMicroseconds }
    set { state.withLock { $0.unixMicroseconds = newValue } }
  }

  /// How many wait.
  package var sleepers: Int { state.withLock { $0.sleepers.count } }

  package func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now = state.now + duration
      let due = state.sleepers.filter { $0.value.0 <= state.now }
      for key in due.keys { state.sleepers[key] = nil }
      return due.values.map(\.1)
    }
    for sleeper in due { sleeper.resume() }
  }

  /// Waits until somebody sleeps, or until the task is cancelled.
  package func someoneSleeps() async {
    let number = newNumber()
    await withTaskCancellationHandler {
      await withCheckedContinuation { watcher in
        let isOver = state.withLock { state in
          let isOver = !state.sleepers.isEmpty || state.cancelled.contains(number)
          if !isOver { state.watchers[number] = watcher }
          return isOver
        }
        if isOver { watcher.resume() }
      }
    } onCancel: {
      let watcher = state.withLock { state in
        state.cancelled.insert(number)
        return state.watchers.removeValue(forKey: number)
      }
      watcher?.resume()
    }
  }

  private func newNumber() -> Int {
    state.withLock { state in
      state.next += 1
      return state.next
    }
  }

  /// Waits until somebody sleeps, and moves on to the moment at which the first of them wakes.
  package func advanceToNextDeadline() async {
    await someoneSleeps()
    guard let next = state.withLock({ $0.sleepers.values.map(\.0).min() }) else { return }
    advance(by: next - now)
  }

  package func sleep(until deadline: HostInstant) async throws {
    let number = newNumber()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let (result, watchers): (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) = state.withLock {
          state in
          if state.cancelled.contains(number) { return (.failure(CancellationError()), []) }
          if state.now >= deadline { return (.success(()), []) }
          state.sleepers[number] = (deadline, continuation)
          defer { state.watchers = [:] }
          return (nil, Array(state.watchers.values))
        }
        if let result { continuation.resume(with: result) }
        for watcher in watchers { watcher.resume() }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        state.cancelled.insert(number)
        return state.sleepers.removeValue(forKey: number)
      }
      sleeper?.1.resume(throwing: CancellationError())
    }
  }
}
