import HostPrimitives
import Synchronization

/// The turns that are under way, each with the handle by which it is given up, and who waits for their end.
final class PassiveTurns: Sendable {
  private struct State {
    var underWay: [RadioSchedule.WorkID: CancellationHandle] = [:]
    var next = 0
    var waiting: [Int: FirstOutcome<Void>] = [:]
  }

  private let clock: any HostClock
  private let state = Mutex(State())

  init(clock: any HostClock) { self.clock = clock }

  /// A turn begins; the handle gives it up.
  func begin(_ work: RadioSchedule.WorkID) -> CancellationHandle {
    let handle = CancellationHandle()
    state.withLock { $0.underWay[work] = handle }
    return handle
  }

  /// Gives a turn up: it ends at its next safe point.
  func giveUp(_ work: RadioSchedule.WorkID) { state.withLock { $0.underWay[work] }?.cancel() }

  /// A turn is over.
  func end(_ work: RadioSchedule.WorkID) {
    let waiting = state.withLock { state -> [FirstOutcome<Void>] in
      state.underWay[work] = nil
      return state.underWay.isEmpty ? Array(state.waiting.values) : []
    }
    for outcome in waiting { outcome.settle(()) }
  }

  /// Whether a turn is under way.
  var isUnderWay: Bool { state.withLock { !$0.underWay.isEmpty } }

  /// Waits until no turn is under way, no longer than this and not in a cancelled task.
  func ended(within patience: Duration) async {
    let (outcome, deadline) = (FirstOutcome<Void>(), clock.now + patience)
    let number = state.withLock { state -> Int? in
      guard !state.underWay.isEmpty else { return nil }
      state.next += 1
      state.waiting[state.next] = outcome
      return state.next
    }
    guard let number else { return }
    let limit = Task { [clock] in
      if await clock.elapsed(until: deadline) { outcome.settle(()) }
    }
    await withTaskCancellationHandler {
      await outcome.value
    } onCancel: {
      outcome.settle(())
    }
    limit.cancel()
    state.withLock { $0.waiting[number] = nil }
  }
}
