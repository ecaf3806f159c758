import GatewayAPI
import Logging
import MeterCore

extension GatewayOwner {
  /// The session that something is submitted in. Without one only meters are read: nobody would ever get the rest.
  ///
  /// - Throws: ``GatewayError`` with code `no_session`; `StoreError`.
  func submittingSession() throws -> Session {
    let session = try store.currentSession()
    guard session.user != nil else {
      LogArea.core.logger.warning("a submission was refused: there is no session")
      throw GatewayError(
        .failed, code: "no_session", "there is no session; nothing was taken",
        hint: "start one: `meterhost session start --help`")
    }
    return session
  }

  /// Whether there is no session while something is done that belongs to the gateway and not to a user: a key, a pairing, the
  /// choice of what is read passively. It is done all the same, and logged.
  func actsWithoutSession(_ what: String) throws -> Bool {
    guard try store.currentSession().user == nil else { return false }
    LogArea.core.logger.warning("there is no session: \(what) for the gateway, and nothing is delivered")
    return true
  }
}
