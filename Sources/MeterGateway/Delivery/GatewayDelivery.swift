import Foundation
public import MeterCore

/// Delivery of a gateway's readings to its receiver.
public struct GatewayDelivery: Sendable {
  /// What starting a session has come to.
  public struct Start: Sendable {
    /// Delivers for the session.
    public let delivery: GatewayDelivery
    /// The session.
    public let session: Session
    /// The session of another user that ended for it.
    public let ended: EndedSession?
    /// Why the receiver has not validated the token yet; nil when it has.
    public let unvalidated: String?
  }

  private let store: MeterStore
  private let uploader: Uploader

  /// Delivery from a store to a receiver.
  ///
  /// - Parameter receiver: The receiver's address; https, or http on this machine.
  /// - Throws: ``GatewayError`` with code `receiver_address`.
  public init(store: MeterStore, receiver: String) throws(GatewayError) {
    self.init(store: store, endpoint: try Self.endpoint(receiver))
  }

  private init(store: MeterStore, endpoint: ReceiverEndpoint) {
    self.store = store
    uploader = Uploader(store: store, endpoint: endpoint, transport: CurlTransport())
  }

  private static func endpoint(_ receiver: String) throws(GatewayError) -> ReceiverEndpoint {
    do {
      return try ReceiverEndpoint(receiver)
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
  /// A refused token changes nothing: the session that was there goes on.
  ///
  /// - Throws: ``GatewayError`` with code `token_refused`, `bad_user` or `receiver_address`; `StoreError`.
  public static func start(_ account: GatewayAccount, store: MeterStore) async throws -> Start {
    try account.check()
    let endpoint = try endpoint(account.receiver)
    let verdict = await endpoint.verdict(
      on: account.token, of: account.user, transport: CurlTransport())
    guard verdict != .refused else { throw refused }
    guard verdict != .otherUser else { throw otherUser }
    let ended = try change(to: account, store: store)
    let delivery = GatewayDelivery(store: store, endpoint: endpoint)
    _ = await delivery.uploader.drain()
    let session = try store.currentSession()
    // The token may have been withdrawn between the question and the first delivery.
    guard session.user != nil else { throw refused }
    var reason: String?
    if case .unknown(let text) = verdict, !session.isValidated { reason = text }
    return Start(delivery: delivery, session: session, ended: ended, unvalidated: reason)
  }

  private static let refused = GatewayError(
    .failed, code: "token_refused", "the receiver refuses the token; no session was started",
    hint: "ask for a new token for this user at this receiver")

  private static let otherUser = GatewayError(
    .failed, code: "token_of_other_user",
    "the receiver says that the token is another user's; no session was started, so that no reading goes to the wrong person",
    hint: "check --user and --organization, or ask for this user's own token")

  /// The address is away while the session changes: a crash in between leaves a session that delivers nowhere, never one
  /// user's token and readings on the way to another user's receiver.
  private static func change(to account: GatewayAccount, store: MeterStore) throws -> EndedSession? {
    let earlier = try? ReceiverSetting.load(from: store.folder)
    try ReceiverSetting.remove(from: store.folder)
    do {
      let ended = try store.startSession(account.user, token: account.token).ended
      try ReceiverSetting(receiver: account.receiver).save(to: store.folder)
      return ended
    } catch let error as StoreError {
      // The earlier session goes on, so it needs its receiver again; without it the session only waits.
      try? earlier?.save(to: store.folder)
      throw error
    }
  }

  /// Ends the session (C4): what was not delivered goes to a recovery file.
  ///
  /// - Returns: What ended; nil when there was no session.
  /// - Throws: `StoreError` when the recovery file cannot be written, then the session goes on; ``GatewayError``.
  public static func end(store: MeterStore) throws -> EndedSession? {
    let ended = try store.endSession()
    try ReceiverSetting.remove(from: store.folder)
    return ended
  }

  /// Delivers in the background until the task is cancelled.
  public func run() async { await uploader.run() }

  /// What happens from now on.
  public func events() async -> AsyncStream<UploadEvent> { await uploader.events() }

  /// Delivers what can be delivered now.
  public func drain() async -> DrainReport { await uploader.drain() }

  /// Delivers everything.
  ///
  /// - Throws: ``GatewayError`` with code `not_delivered` when something has to wait, `refused_readings` when the
  ///   receiver will not have something, `session_ended` when it refuses the token.
  public func finish() async throws(GatewayError) {
    let report = await uploader.drain()
    guard !report.sessionEnded else {
      throw GatewayError(
        .failed, code: "session_ended", "the receiver refuses the token and has ended the session",
        hint: "start it again with a new token: `meterhost session start --help`")
    }
    guard report.waiting == 0 else {
      throw GatewayError(
        .temporary, code: "not_delivered", "\(report.waiting) readings could not be delivered yet",
        hint: "`meterhost queue list` shows why")
    }
    guard report.dead == 0 else {
      throw GatewayError(
        .failed, code: "refused_readings", "the receiver has refused \(report.dead) readings for good",
        hint: "`meterhost queue list` shows why")
    }
  }
}
