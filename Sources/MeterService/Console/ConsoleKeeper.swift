import Foundation
import GatewayAPI
import GatewayConsole
import GatewayEngine
import HTTPServing
import HostPrimitives
import Logging
import MeterCore

/// Serves the console as long as the host runs. A place that is taken is told of once, and tried again: readings go on meanwhile.
struct ConsoleKeeper: Sendable {
  /// How often an address that cannot be used is tried again.
  static let retryInterval = Duration.seconds(30)

  let owner: GatewayOwner
  let settings: ConsoleSettings
  let clock: any HostClock
  let logger: Logger

  /// Whether the console may be served like this.
  ///
  /// - Throws: ``GatewayError`` with code `console_password`.
  static func check(_ settings: ConsoleSettings, of owner: GatewayOwner) throws(GatewayError) {
    guard settings.publicOrigin != nil, !ConsolePassword(stateFolder: owner.store.folder).isSet else { return }
    throw GatewayError(
      .usage, code: "console_password", "a console that others in the network can reach needs a password",
      hint: "set one with `meterhost console password`, and start the host again")
  }

  /// Serves until the task is cancelled.
  func follow() async {
    // What was uploaded to a host that has ended meanwhile is nobody's any more.
    try? FileManager.default.removeItem(atPath: RunningHost(owner: owner).uploadFolder)
    var told: String?
    while !Task.isCancelled {
      do throws(ServingError) {
        try await serve()
      } catch {
        let words = words(error)
        if words != told { logger.error("\(words)") }
        told = words
        owner.console.closed(words)
      }
      guard !Task.isCancelled, await clock.elapsed(Self.retryInterval) else { break }
    }
    owner.console.closed()
  }

  private func serve() async throws(ServingError) {
    let (door, logger, settings) = (owner.console, logger, settings)
    try await GatewayConsole(host: RunningHost(owner: owner), settings: settings, clock: clock, logger: logger).run {
      reach in
      door.opened(reach.makeLink, closeVisits: reach.closeVisits)
      // Never a link: a log is read by others.
      logger.notice("the console is served", metadata: ["address": "\(settings.address)"])
    }
  }

  private func words(_ error: ServingError) -> String {
    switch error {
    case .cannotListen(let cause):
      "the console cannot listen at \(settings.address), which is in use or not this user's (\(cause))"
    case .stopped(let cause): "the console is not served at \(settings.address) at the moment (\(cause))"
    }
  }
}
