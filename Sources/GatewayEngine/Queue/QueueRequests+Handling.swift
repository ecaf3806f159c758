package import GatewayAPI
import MeterCore

extension QueueListRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) throws -> Answer {
    let (wanted, most) = (Set(states), min(max(limit, 1), Self.longest))
    let found =
      if let before {
        try owner.store.newestInQueue(states: wanted, before: before, limit: most, isOfDefaultUser: isOfDefaultUser)
      } else {
        try owner.store.queueSnapshot(states: wanted, after: after, limit: most, isOfDefaultUser: isOfDefaultUser)
      }
    return Answer(
      items: QueueItem.all(found, in: owner.store), paused: try owner.store.isPaused(),
      limits: try QueueLimitsDescription(owner.store), waits: try SinkWaitDescription.all(in: owner.store))
  }
}

extension QueueShowRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) throws -> [QueueItem] {
    let entries = try owner.store.queueEntry(reading.logID).filter { reading.suspect == nil || $0.name == reading }
    return QueueItem.all(entries, isWhole: true, in: owner.store)
  }
}

extension QueuePauseRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) throws -> Bool {
    try owner.store.setPaused(paused)
    return paused
  }
}

extension QueueFlushRequest: HandledRequest {
  /// - Returns: How many deliveries are left.
  /// - Throws: ``GatewayError``: `paused`, `no_receiver`, and what ``GatewayDelivery/finish()`` throws.
  package func perform(on owner: GatewayOwner) async throws -> Int {
    guard try !owner.store.isPaused() else {
      throw GatewayError(
        .failed, code: "paused", "deliveries are paused", hint: "`meterhost queue resume` ends it and sends")
    }
    guard let delivery = try await owner.delivery() else {
      guard try owner.store.tally()[.pending] ?? 0 == 0 else {
        throw GatewayError(
          .failed, code: "no_receiver", "there is no session with a receiver",
          hint: "start one: `meterhost session start --help`")
      }
      return 0
    }
    if respectsWaits { try await delivery.proceed() } else { try await delivery.finish() }
    return try owner.store.tally()[.pending] ?? 0
  }
}
