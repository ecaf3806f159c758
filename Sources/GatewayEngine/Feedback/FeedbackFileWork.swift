import GatewayAPI
import Foundation
import HostPrimitives
import Synchronization

/// Looks at files that a person has named, and starts programs of theirs, on threads of their own.
///
/// On a file system that hangs, as one of a network that is gone, such a call does not come back, and nothing ends it. The threads that
/// reads and deliveries share are few, so none of them makes it. A file that is known to hang costs no further thread, however often it is
/// asked for, and counts as one, however many asked for it before: it keeps no other one from being looked at.
final class FeedbackFileWork: Sendable {
  /// The one for what a person asks. What headless reads have left hanging must not count here: it is by asking that a person chooses
  /// other files.
  static let forRequests = FeedbackFileWork(most: 32)

  private struct Call {
    let place: ExactText
    /// Nobody waits for it any more.
    var isLeft = false
  }

  private struct State {
    var calls: [UInt64: Call] = [:]
    var next: UInt64 = 0
  }

  private let clock: any HostClock
  private let most: Int
  private let state = Mutex(State())

  /// - Parameter most: How many places may hang. Calls that are waited for do not count: who asks is bounded elsewhere.
  init(clock: any HostClock = .system, most: Int = 8) { (self.clock, self.most) = (clock, most) }

  /// Does some work, and waits for it no longer than this and not in a cancelled task.
  ///
  /// - Parameters:
  ///   - place: The file, or the search path, that the work may hang at.
  ///   - late: Gets what the work has come to when nobody waits for it any more.
  /// - Throws: What the work throws; ``FeedbackProblem`` with code `feedback_timeout` when it does not come back, or earlier work at that
  ///   place or too much elsewhere has not; `feedback_failed` when the task is cancelled.
  func perform<Value: Sendable>(
    at place: String, within limit: Duration, late: @escaping @Sendable (Value) -> Void = { _ in },
    _ work: @escaping @Sendable () throws(FeedbackProblem) -> Value
  ) async throws(FeedbackProblem) -> Value {
    let id = try enter(place)
    let (outcome, deadline) = (FirstOutcome<Result<Value, FeedbackProblem>>(), clock.now + limit)
    Thread.detachNewThread { [self] in
      let result: Result<Value, FeedbackProblem>
      do throws(FeedbackProblem) { result = .success(try work()) } catch { result = .failure(error) }
      if !outcome.settle(result), case .success(let value) = result { late(value) }
      // Last: what is put away late may hang as well.
      state.withLock { $0.calls[id] = nil }
    }
    let timer = Task { [self] in
      guard await clock.elapsed(until: deadline) else { return }
      leave(id)
      outcome.settle(.failure(Self.hangs(place)))
    }
    defer { timer.cancel() }
    let result = await withTaskCancellationHandler {
      await outcome.value
    } onCancel: {
      leave(id)
      outcome.settle(.failure(Self.givenUp))
    }
    return try result.get()
  }

  /// What a look at files finds, or why there was none.
  func problem(
    at place: String, within limit: Duration, _ look: @escaping @Sendable () -> FeedbackProblem?
  ) async -> FeedbackProblem? {
    do throws(FeedbackProblem) { return try await perform(at: place, within: limit) { look() } } catch { return error }
  }

  private func enter(_ place: String) throws(FeedbackProblem) -> UInt64 {
    let place = ExactText(place)
    let entered = state.withLock { state -> Result<UInt64, FeedbackProblem> in
      let hanging = Set(state.calls.values.filter(\.isLeft).map(\.place))
      guard !hanging.contains(place) else { return .failure(Self.hangs(place.text)) }
      guard hanging.count < most else { return .failure(Self.tooManyHang(hanging.count)) }
      state.next += 1
      state.calls[state.next] = Call(place: place)
      return .success(state.next)
    }
    return try entered.get()
  }

  /// Its thread may have ended meanwhile: then nothing hangs.
  private func leave(_ id: UInt64) { state.withLock { $0.calls[id]?.isLeft = true } }

  private static func hangs(_ place: String) -> FeedbackProblem {
    FeedbackProblem(
      .timeout, "the file system of \(place) does not answer",
      cure: "look at what is mounted there, or choose files of this machine")
  }

  private static func tooManyHang(_ count: Int) -> FeedbackProblem {
    FeedbackProblem(
      .timeout, "\(count) other files of feedback are on file systems that do not answer",
      cure: "look at what is mounted there, and start the host again")
  }

  private static var givenUp: FeedbackProblem {
    FeedbackProblem(.failed, "the feedback was given up by the host", cure: "give it again")
  }
}
