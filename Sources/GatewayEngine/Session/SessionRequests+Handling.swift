package import GatewayAPI
import Foundation
import MeterCore

extension SessionStartRequest: HandledRequest {
  /// Performs it.
  package func perform(on owner: GatewayOwner) async throws -> SessionDescription {
    var account = GatewayAccount(
      user: SessionUser(userID: user, organizationID: organization), token: AccessToken(token), setting: setting)
    account.zone = zone
    let started = try await GatewayDelivery.start(account, store: owner.store, delivers: !owner.deliversByItself)
    return SessionDescription(started, setting: account.setting)
  }
}

extension SessionShowRequest: HandledRequest {
  /// Performs it.
  package func perform(on owner: GatewayOwner) throws -> SessionDescription {
    try SessionDescription(showing: owner.store)
  }
}

extension SessionEndRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `no_session`, and what ``GatewayDelivery/end(store:forgettingMeters:)`` throws.
  package func perform(on owner: GatewayOwner) throws -> EndedSessionDescription {
    guard let ended = try GatewayDelivery.end(store: owner.store, forgettingMeters: forgetsMeters) else {
      throw GatewayError(
        .failed, code: "no_session", "there is no session to end", hint: "`meterhost session start --help` shows how")
    }
    return EndedSessionDescription(ended)
  }
}

extension SinkAddRequest: HandledRequest {
  /// Performs it.
  package func perform(on owner: GatewayOwner) async throws -> Answer {
    let unvalidated = try await GatewaySink.add(sink, setting: setting, token: AccessToken(token), to: owner.store)
    let added = try GatewaySink.all(in: owner.store).first { $0.name == sink }
    return Answer(sink: added.map(SinkDescription.init), unvalidated: unvalidated)
  }
}

extension SinkListRequest: HandledRequest {
  /// Performs it.
  package func perform(on owner: GatewayOwner) throws -> [SinkDescription] {
    try GatewaySink.all(in: owner.store).map(SinkDescription.init)
  }
}

extension SinkRemoveRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `unknown_sink`.
  package func perform(on owner: GatewayOwner) throws -> Bool {
    guard try owner.store.removeSink(sink) else {
      throw GatewayError(
        .usage, code: "unknown_sink", "the session has no receiver \(sink)",
        hint: "`meterhost session sink list` shows what there is")
    }
    return true
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
