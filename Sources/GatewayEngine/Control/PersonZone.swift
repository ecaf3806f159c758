import GatewayAPI
import Foundation
import Logging
import MeterCore

/// The zone in which the times are read that a person has written without an offset, and whose it is.
///
/// One rule for everything that a person writes: the zone of the session's user goes before that of whoever asks.
struct PersonZone: Sendable {
  let zone: TimeZone
  let source: RecordTime.ZoneSource

  /// A time as a person wrote it.
  ///
  /// - Throws: `DraftError` with code `skipped_time` or `repeated_time`.
  func time(_ moment: MomentText) throws(DraftError) -> RecordTime { try moment.time(in: zone, source: source) }
}

extension GatewayOwner {
  /// The zone for times without one.
  ///
  /// - Parameter asked: The zone of whoever asks, by its `GatewayZone.name`, which holds where the session has none.
  /// - Throws: ``GatewayError`` with code `unknown_zone`; `StoreError`.
  func personZone(else asked: String) throws -> PersonZone {
    let options = try store.currentSession().options
    if let users = options.timeZone { return PersonZone(zone: users, source: .user) }
    if let unknown = options.unknownZone {
      LogArea.core.logger.warning("\(SessionDescription.problem(ofZone: unknown)); \(SessionDescription.zoneCure)")
    }
    guard let zone = TimeZone(gatewayName: asked) else {
      throw GatewayError(
        .usage, code: "unknown_zone", "there is no time zone \(asked)",
        hint: "they are named like Europe/Berlin: set TZ to such a name, or `meterhost session start --zone`")
    }
    return PersonZone(zone: zone, source: .gateway)
  }

  /// Refuses to read a meter while nobody knows in which zone its times are: neither is the session's user's stated, nor can
  /// this process tell the machine's.
  ///
  /// - Throws: As ``personZone(else:)``.
  func checkZone() throws { _ = try personZone(else: GatewayZone.name) }
}
