import MeterGateway
import UnixSignals

/// Ctrl-C and SIGTERM, as a cancellation.
enum Interruption {
  /// Runs a body until it ends or the process is interrupted; an interruption is an orderly end.
  static func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
    try await withThrowingTaskGroup { group in
      group.addTask {
        do {
          try await body()
        } catch is CancellationError {
          return
        }
      }
      group.addTask { for await _ in signals { return } }
      try await group.next()
      group.cancelAll()
      try await group.waitForAll()
    }
  }

  /// Calls an action at the first interruption while a body runs.
  static func whileRunning<Result: Sendable>(
    onInterrupt: @escaping @Sendable () -> Void, _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
    let watcher = Task { for await _ in signals { onInterrupt() } }
    defer { watcher.cancel() }
    return try await body()
  }
}
