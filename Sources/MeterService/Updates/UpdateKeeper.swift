import GatewayAPI
import GatewayEngine
import GatewayTools
import HTTPServing
import HostPrimitives
import Logging
import MeterCore

/// Installs updates of drivers in quiet moments, as long as the service runs and where that was switched on, and watches those
/// that it has installed.
struct UpdateKeeper: Sendable {
  /// How often it looks whether there is anything to do.
  static let lookInterval = Duration.seconds(600)
  /// How often the sources are looked at.
  static let checkInterval = Duration.seconds(6 * 3_600)
  /// How soon it looks again when a meter was being read.
  static let retryInterval = Duration.seconds(60)

  let owner: GatewayOwner
  let trust: HostClockTrust
  let clock: any HostClock
  let logger: Logger

  /// Follows until the task is cancelled.
  func follow() async {
    var checksAgain = clock.now
    let outages = OutageLog(clock: clock)
    let updates = AutomaticUpdates(owner: owner, logger: logger)
    // A host that has just started has better things to do.
    guard await clock.elapsed(Self.retryInterval) else { return }
    while !Task.isCancelled {
      var pause = Self.lookInterval
      do {
        let now = clock.unixMicroseconds
        if try await updates.judge(now: now) == .later { pause = Self.retryInterval }
        if clock.now >= checksAgain, try mayLook(now) {
          if try await updates.update(now: now) == .later {
            pause = Self.retryInterval
          } else {
            checksAgain = clock.now + Self.checkInterval
          }
        }
        for _ in outages.worked() { logger.notice("updates of drivers are looked for again") }
      } catch {
        if Task.isCancelled { return }
        let words = GatewayError(describing: error)?.message ?? "\(error)"
        if outages.failed("updates") != nil { logger.error("updates of drivers are not looked for: \(words)") }
      }
      guard await clock.elapsed(pause) else { return }
    }
  }

  /// Without the date nobody can say whether an index counts still.
  private func mayLook(_ now: Int64) throws -> Bool {
    let date = HostClockReading(utcMicroseconds: now, isSynchronized: trust.isSynchronized)
    return try date.knowsDate && owner.isQuiet && owner.updates.state().isAutomatic
  }
}
