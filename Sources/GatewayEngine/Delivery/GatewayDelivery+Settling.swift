import HostPrimitives
public import MeterCore

extension GatewayDelivery {
  /// Waits until running uploaders have tried named records and their images once at least, or cannot try them now: while
  /// deliveries are paused, and while a receiver is out of reach.
  ///
  /// - Parameter limit: How long to wait at most; what is behind a long backlog is delivered later.
  /// - Throws: `StoreError`, ``GatewayError`` with code `receiver_setting`.
  public func settle(_ logIDs: [LogID], within limit: Duration) async throws {
    // Before anything is looked up: what happens in between is heard of.
    let events = await events()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await self.follow(logIDs, events) }
      group.addTask { try await self.clock.sleep(for: limit) }
      try await group.next()
      group.cancelAll()
    }
  }

  private func follow(_ logIDs: [LogID], _ events: AsyncStream<DeliveryEvent>) async throws {
    var left = logIDs
    if try await drop(&left) { return }
    for await _ in events { if try await drop(&left) { return } }
  }

  /// Takes those from the end that nothing more happens to now.
  ///
  /// - Returns: Whether none is left.
  private func drop(_ left: inout [LogID]) async throws -> Bool {
    let busy = try await busySinks()
    while let last = left.last {
      if try !busy.isEmpty && isOpen(last, at: busy) { return false }
      left.removeLast()
    }
    return true
  }

  /// The receivers that something may be sent to at this moment.
  private func busySinks() async throws -> Set<String> {
    guard try !store.isPaused() else { return [] }
    let idle = Set(try store.sinks().filter { $0.isRefused || $0.isPaused }.map(\.name))
    var busy: Set<String> = []
    for engine in engines where !idle.contains(engine.sink) {
      if await !engine.isWaiting { busy.insert(engine.sink) }
    }
    return busy
  }

  /// Whether a first attempt is still to come.
  private func isOpen(_ logID: LogID, at sinks: Set<String>) throws -> Bool {
    let isRecordOpen = try store.queueEntry(logID).contains { entry in
      sinks.contains(entry.sink) && (entry.state == .inFlight || entry.state == .pending && entry.attempts == 0)
    }
    return try isRecordOpen
      || store.imageSnapshot(of: logID).contains { image in
        sinks.contains(image.sink) && (image.state == .inFlight || image.state == .pending && image.attempts == 0)
      }
  }
}
