import HostPrimitives
import Logging
import MeterBluetooth
import MeterCore
import GatewayEngine

/// Keeps passive reading going as long as the service runs. A machine without Bluetooth still delivers: it is told of once,
/// and tried again.
struct PassiveKeeper: Sendable {
  /// How often a radio that could not be used is tried again.
  static let retryInterval = Duration.seconds(30)

  /// How often the registry's files are looked at, in seconds.
  static let registryInterval: Int64 = 10

  let owner: GatewayOwner
  let options: ReadOptions
  let logger: Logger
  var clock: any HostClock = .system
  /// Hears what happens to the meters.
  let onEvent: @Sendable (PassiveEvent) async -> Void

  /// Follows the choice until the task is cancelled.
  func follow() async {
    var told: String?
    let changes = owner.store.changes()
    while !Task.isCancelled {
      // Nobody needs a radio for nothing.
      guard await isChosen(changes) else { break }
      do {
        let events = try await owner.startPassive(options)
        told = nil
        owner.passiveProblem = nil
        let following = Task { await followRegistry() }
        defer { following.cancel() }
        for await event in events { await onEvent(event) }
      } catch {
        let reason = "\(error)"
        if reason != told { logger.warning("meters are not read passively: \(reason)") }
        told = reason
        owner.passiveProblem = reason
        try? await clock.sleep(for: Self.retryInterval)
      }
    }
    await owner.endPassive()
  }

  /// What is installed while the service runs holds for passive reading, too. Nobody tells of the registry's files.
  private func followRegistry() async {
    while !Task.isCancelled {
      owner.followRegistry()
      guard await clock.ticks(every: Self.registryInterval) else { return }
    }
  }

  private func isChosen(_ changes: some AsyncSequence<Void, Never>) async -> Bool {
    func isChosen() -> Bool {
      do { return try !owner.store.passivePeripherals().isEmpty } catch {
        logger.error("meters are not read passively, for what is chosen cannot be looked up: \(error)")
        return false
      }
    }
    if isChosen() { return true }
    for await _ in changes where isChosen() { return true }
    return false
  }
}
