import Foundation
public import MeterCore

/// Delivery of a gateway's readings to its receiver.
public struct GatewayDelivery: Sendable {
  private let store: MeterStore
  private let uploader: Uploader

  /// Delivery from a store to a receiver.
  ///
  /// - Parameter receiver: The receiver's address; https, or http on this machine.
  /// - Throws: ``GatewayError`` with code `receiver_address`.
  public init(store: MeterStore, receiver: String) throws(GatewayError) {
    self.store = store
    do {
      uploader = Uploader(store: store, endpoint: try ReceiverEndpoint(receiver), transport: CurlTransport())
    } catch {
      throw GatewayError(.usage, code: "receiver_address", error.message, cause: error)
    }
  }

  /// The delivery that a state folder's session asks for; nil without a session or a receiver.
  ///
  /// - Throws: ``GatewayError`` or `StoreError`.
  public static func configured(store: MeterStore) throws -> GatewayDelivery? {
    guard try store.currentSession().user != nil, let setting = try ReceiverSetting.load(from: store.folder) else {
      return nil
    }
    return try GatewayDelivery(store: store, receiver: setting.receiver)
  }

  /// Starts a session and validates it with the receiver (C1, C2). With the receiver out of reach the session starts
  /// unvalidated and is validated by the next delivery.
  ///
  /// - Returns: The delivery, the session, and the session of another user that ended for it.
  /// - Throws: ``GatewayError`` with code `token_refused` when the receiver does not know the token.
  public static func start(
    _ account: GatewayAccount, store: MeterStore
  ) async throws -> (delivery: GatewayDelivery, session: Session, ended: EndedSession?) {
    let delivery = try GatewayDelivery(store: store, receiver: account.receiver)
    try ReceiverSetting(receiver: account.receiver).save(to: store.folder)
    let ended = try store.startSession(account.user, token: account.token).ended
    _ = await delivery.uploader.drain()
    let session = try store.currentSession()
    guard session.user != nil else {
      throw GatewayError(
        .failed, code: "token_refused", "the receiver refuses the token; no session was started",
        hint: "ask for a new token for this user")
    }
    return (delivery, session, ended)
  }

  /// Delivers in the background until the task is cancelled.
  public func run() async { await uploader.run() }

  /// What happens from now on.
  public func events() async -> AsyncStream<UploadEvent> { await uploader.events() }

  /// Delivers what can be delivered now.
  public func drain() async -> DrainReport { await uploader.drain() }

  /// Delivers everything.
  ///
  /// - Throws: ``GatewayError`` with code `not_delivered` when something has to wait, or was refused.
  public func finish() async throws(GatewayError) {
    let report = await uploader.drain()
    guard report.waiting == 0, !report.sessionEnded else {
      throw GatewayError(
        .temporary, code: "not_delivered",
        "\(report.waiting) readings could not be delivered"
          + (report.sessionEnded ? ": the receiver ended the session" : ""))
    }
  }
}
