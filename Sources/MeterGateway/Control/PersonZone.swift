import Foundation
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
  /// - Parameter asked: The IANA name of the zone of whoever asks, which holds where the session has none.
  /// - Throws: ``GatewayError`` with code `unknown_zone`; `StoreError`.
  func personZone(else asked: String) throws -> PersonZone {
    guard let zone = TimeZone(identifier: asked) else {
      throw GatewayError(.usage, code: "unknown_zone", "there is no time zone \(asked)")
    }
    let users = try store.currentSession().options.timeZone
    return PersonZone(zone: users ?? zone, source: users == nil ? .gateway : .user)
  }
}
