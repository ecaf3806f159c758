import Synchronization

/// The handle by which an operation can be given up at every moment of its life.
package final class CancellationHandle: Sendable {
  private struct State {
    var isCancelled = false
    var next = 0
    var actions: [Int: @Sendable () -> Void] = [:]
  }

  private let state = Mutex(State())

  package init() {}

  package var isCancelled: Bool { state.withLock(\.isCancelled) }

  package func cancel() {
    let actions = state.withLock { state in
      state.isCancelled = true
      defer { state.actions = [:] }
      return state.actions.values.map { $0 }
    }
    for action in actions { action() }
  }

  /// Runs the body; if the operation is given up meanwhile, or was before, runs the action once. The action belongs to this
  /// phase of the operation only: what ends a discovery must not end a session.
  package func during<Value, Failure: Error>(
    _ action: @escaping @Sendable () -> Void, _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let id = state.withLock { state -> Int? in
      guard !state.isCancelled else { return nil }
      state.next += 1
      state.actions[state.next] = action
      return state.next
    }
    if id == nil { action() }
    defer { state.withLock { state in if let id { state.actions[id] = nil } } }
    return try await body()
  }
}
