import Synchronization

@testable import MeterCore

/// A clock that stands still until a test moves it.
final class ManualClock: UploadClock {
  private struct State {
    var now: Duration = .zero
    var sleepers: [Int: (Duration, CheckedContinuation<Void, any Error>)] = [:]
    var cancelled: Set<Int> = []
    var next = 0
  }

  private let state = Mutex(State())

  /// How many wait.
  var sleepers: Int { state.withLock { $0.sleepers.count } }

  func now() -> Duration { state.withLock { $0.now } }

  func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now += duration
      let due = state.sleepers.filter { $0.value.0 <= state.now }
      for key in due.keys { state.sleepers[key] = nil }
      return due.values.map(\.1)
    }
    for sleeper in due { sleeper.resume() }
  }

  func sleep(until time: Duration) async throws {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result: Result<Void, any Error>? = state.withLock { state in
          if state.cancelled.contains(number) { return .failure(CancellationError()) }
          if state.now >= time { return .success(()) }
          state.sleepers[number] = (time, continuation)
          return nil
        }
        if let result { continuation.resume(with: result) }
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
