import GatewayAPI
import MeterCore

extension GatewayOwner {
  /// The session that a choice belongs to. What exports bring belongs to a user, and so does what is chosen for them.
  ///
  /// - Throws: ``GatewayError`` with code `no_session`; `StoreError`.
  func choosingSession() throws -> Session {
    let session = try store.currentSession()
    guard session.user != nil else {
      throw GatewayError(
        .failed, code: "no_session", "there is no session, and what is chosen for health exports belongs to one",
        hint: "start one: `meterhost session start --help`")
    }
    return session
  }
}
