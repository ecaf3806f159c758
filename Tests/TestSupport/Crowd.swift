import Foundation
import Synchronization

/// How many tests use the machine at a time. Without a bound all of them start their programs at once, and those wait for the
/// processor longer than a meter waits for an answer.
final class Crowd: Sendable {
  private struct State {
    var inside = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  /// The one for this machine.
  static let machine = Crowd(of: max(4, 2 * ProcessInfo.processInfo.activeProcessorCount))

  /// Whether this task is inside already: it would wait for itself.
  @TaskLocal private static var isInside = false

  private let most: Int
  private let state = Mutex(State())

  init(of most: Int) { self.most = most }

  /// Runs a body when there is room, in the order of asking.
  func join<Value>(_ body: () async throws -> Value) async rethrows -> Value {
    guard !Self.isInside else { return try await body() }
    await enter()
    defer { leave() }
    return try await Self.$isInside.withValue(true) { try await body() }
  }

  private func enter() async {
    await withCheckedContinuation { continuation in
      let mayEnter = state.withLock { state in
        guard state.inside < most else {
          state.waiting.append(continuation)
          return false
        }
        state.inside += 1
        return true
      }
      if mayEnter { continuation.resume() }
    }
  }

  private func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard !state.waiting.isEmpty else {
        state.inside -= 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}
