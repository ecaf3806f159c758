public import MeterReceiver

extension Receiver {
  /// The receiver has ended before it listened.
  public struct NeverListened: Error {}

  /// Runs the receiver while a body runs, and waits for its end.
  ///
  /// - Parameter body: Gets the port on which it listens.
  public func running<Value: Sendable>(_ body: (Int) async throws -> Value) async throws -> Value {
    try await withThrowingTaskGroup(of: Void.self) { group in
      let (ports, continuation) = AsyncStream<Int>.makeStream()
      group.addTask {
        defer { continuation.finish() }
        try await self.run { continuation.yield($0) }
      }
      guard let port = await ports.first(where: { _ in true }) else {
        try await group.waitForAll()
        throw NeverListened()
      }
      let value = try await body(port)
      group.cancelAll()
      try await group.waitForAll()
      return value
    }
  }
}
