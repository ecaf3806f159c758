import HTTPServing
import HostPrimitives
import Logging
import MeterCore
import GatewayAPI
import GatewayEngine

/// Delivers for whatever session is in force, as long as the service runs.
actor DeliveryKeeper {
  /// What a delivery was made for.
  private struct Purpose: Equatable {
    let generation: SessionGeneration
    /// The kinds and settings as the store keeps them: a delivery works as long as these are there.
    let sinks: [String: SinkTarget]
  }

  private let store: MeterStore
  private let logger: Logger
  private let outages: OutageLog
  private var current: (purpose: Purpose, delivery: GatewayDelivery, task: Task<Void, Never>)?

  init(store: MeterStore, clock: any HostClock, logger: Logger) {
    self.store = store
    outages = OutageLog(clock: clock)
    self.logger = logger
  }

  /// The delivery of the session in force; nil without a session or a receiver.
  func delivery() throws -> GatewayDelivery? {
    try refresh()
    return current?.delivery
  }

  /// Follows the session until the task is cancelled.
  func follow() async {
    let changes = store.changes()
    refreshOrTell()
    for await _ in changes { refreshOrTell() }
    current?.task.cancel()
    await current?.task.value
    current = nil
  }

  private func refreshOrTell() {
    do {
      try refresh()
      for _ in outages.worked() { logger.notice("deliveries are made again") }
    } catch {
      // Each change of the store asks again.
      if outages.failed("delivery") != nil { logger.error("deliveries are not made: \(error)") }
    }
  }

  private func refresh() throws {
    let session = try store.currentSession()
    // Whether a receiver has validated its token changes nothing about the way to it.
    let sinks = try Dictionary(
      store.sinks().map { ($0.name, $0.target) }, uniquingKeysWith: { first, _ in first })
    let purpose = session.user.map { _ in Purpose(generation: session.generation, sinks: sinks) }
    guard purpose != current?.purpose else { return }
    current?.task.cancel()
    current = nil
    guard let purpose, let delivery = try GatewayDelivery.configured(store: store) else { return }
    current = (purpose, delivery, Task { [logger] in await delivery.run(logger: logger) })
  }
}
