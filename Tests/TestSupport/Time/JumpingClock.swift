package import HostPrimitives
import Synchronization

/// A clock for tests: its time stands still while anything is at work, and jumps to the next deadline when everything waits.
///
/// A limit of minutes costs no time, and nothing runs out because the machine is slow. "Everything" is this process with all its
/// threads, and every process that it has started: see ``Stillness``. Each clock has a time of its own, so that tests beside each
/// other do not hurry one another.
package final class JumpingClock: HostClock {
  private struct State {
    var now: HostInstant
    var next: UInt64 = 0
    var sleepers: [UInt64: Sleeper] = [:]
    /// Sleeps that were cancelled before they had begun.
    var cancelled: Set<UInt64> = []
  }

  private struct Sleeper {
    let deadline: HostInstant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private let state: Mutex<State>
  private let start: (instant: HostInstant, unixMicroseconds: Int64)
  private let stillness: Stillness

  /// A clock that shows the time of the machine, and stands.
  package convenience init() { self.init(stillness: .ofThisProcess) }

  init(stillness: Stillness) {
    let machine = SystemClock()
    start = (machine.now, machine.unixMicroseconds)
    state = Mutex(State(now: start.instant))
    self.stillness = stillness
  }

  package var now: HostInstant { state.withLock(\.now) }

  /// How far it has jumped in all.
  package var elapsed: Duration { now - start.instant }

  package var unixMicroseconds: Int64 {
    let (seconds, attoseconds) = elapsed.components
    return start.unixMicroseconds + seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }

  package func sleep(until deadline: HostInstant) async throws {
    try Task.checkCancellation()
    let id = state.withLock { state in
      state.next += 1
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let resumed: Result<Void, any Error>? = state.withLock { state in
          if state.cancelled.remove(id) != nil { return .failure(CancellationError()) }
          if deadline <= state.now { return .success(()) }
          state.sleepers[id] = Sleeper(deadline: deadline, continuation: continuation)
          return nil
        }
        if let resumed { continuation.resume(with: resumed) } else { stillness.watch(self) }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        let sleeper = state.sleepers.removeValue(forKey: id)
        if sleeper == nil { state.cancelled.insert(id) }
        return sleeper
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
    state.withLock { _ = $0.cancelled.remove(id) }
  }
}

extension JumpingClock: StillnessWatcher {
  package var isWaiting: Bool { state.withLock { !$0.sleepers.isEmpty } }

  package func everythingWaits() {
    let due = state.withLock { state -> [Sleeper] in
      guard let next = state.sleepers.values.map(\.deadline).min() else { return [] }
      state.now = max(state.now, next)
      let due = state.sleepers.filter { $0.value.deadline <= state.now }.sorted { left, right in
        (left.value.deadline, left.key) < (right.value.deadline, right.key)
      }
      for (id, _) in due { state.sleepers[id] = nil }
      return due.map(\.value)
    }
    for sleeper in due { sleeper.continuation.resume() }
  }
}
