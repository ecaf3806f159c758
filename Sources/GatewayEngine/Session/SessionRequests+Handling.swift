package import GatewayAPI
import Foundation
import MeterCore

extension SessionStartRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) async throws -> SessionDescription {
    var account = GatewayAccount(
      user: SessionUser(userID: user, organizationID: organization), token: token.map { AccessToken($0) },
      setting: try SinkKinds.gateway.setting(kind, setting))
    account.zone = zone
    account.confirmed = confirmed
    let started = try await GatewayDelivery.start(account, store: owner.store, delivers: !owner.deliversByItself)
    return SessionDescription(started, setting: account.setting)
  }
}

extension SessionShowRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) throws -> SessionDescription {
    try SessionDescription(showing: owner.store)
  }
}

extension SessionBodyRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `no_session`, and `body_profile` for one that nobody has; `StoreError`.
  package func perform(on owner: GatewayOwner) throws -> SessionDescription {
    let session = try owner.store.currentSession()
    guard session.user != nil else {
      throw GatewayError(
        .failed, code: "no_session", "there is no session, and a body belongs to its user",
        hint: "start one: `meterhost session start --help`")
    }
    let checked = body.flatMap(\.profile)
    guard body == nil || checked != nil else { throw Self.refusal }
    try owner.store.setBody(checked, of: session.generation)
    return try SessionDescription(showing: owner.store)
  }

  private static var refusal: GatewayError {
    let heights = BodyProfile.heights
    return GatewayError(
      .usage, code: "body_profile",
      "nobody has such a body: a height is \(Int(heights.lowerBound)) to \(Int(heights.upperBound)) cm, a sex female or male, a day of birth YYYY-MM-DD from 1900 on"
    )
  }
}

extension SessionEndRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `no_session`, and what ``GatewayDelivery/end(store:forgettingMeters:)`` throws.
  package func perform(on owner: GatewayOwner) throws -> EndedSessionDescription {
    guard let ended = try GatewayDelivery.end(store: owner.store, forgettingMeters: forgetsMeters) else {
      throw GatewayError(
        .failed, code: "no_session", "there is no session to end", hint: "`meterhost session start --help` shows how")
    }
    // Health data of a user who is gone, which no running host looks after here.
    owner.feeds.dropEnded()
    return EndedSessionDescription(ended)
  }
}

extension SessionRecoverRequest: HandledRequest {
  /// - Throws: `StoreError`; ``GatewayError`` with code `session_ended` when the receiver refuses the token: what was taken back
  ///   is in a recovery file again.
  package func perform(on owner: GatewayOwner) async throws -> RecoveryDescription {
    let generation = try owner.store.currentSession().generation
    let summary = RecoveryDescription(try Intake(owner.store).recover(URL(fileURLWithPath: file)))
    guard delivers, !owner.deliversByItself else { return summary }
    if let left = try await owner.deliver([], of: generation) { throw left.error("what was taken back is") }
    return summary
  }
}
