import Foundation
import MeterCore

/// Starts a session.
public struct SessionStartRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "session.start"
  /// The user's id.
  public var user: String
  /// The organisation's id.
  public var organization: String
  /// The access token; the socket is open to the folder's user only.
  public var token: String
  /// How the receiver is reached; files by their whole paths.
  public var setting: ReceiverSetting
  /// The IANA name of the user's time zone; nil keeps the one that the user's session has.
  public var zone: String?

  /// Starts a session.
  public init(user: String, organization: String, token: String, setting: ReceiverSetting, zone: String? = nil) {
    self.zone = zone
    self.user = user
    self.organization = organization
    self.token = token
    self.setting = setting
  }

  /// Performs it.
  public func perform(on owner: GatewayOwner) async throws -> SessionDescription {
    var account = GatewayAccount(
      user: SessionUser(userID: user, organizationID: organization), token: AccessToken(token), setting: setting)
    account.zone = zone
    let started = try await GatewayDelivery.start(account, store: owner.store, delivers: !owner.deliversByItself)
    return SessionDescription(started, setting: account.setting)
  }
}

/// The session in force.
public struct SessionShowRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "session.show"

  /// Asks about the session.
  public init() {}

  /// Performs it.
  public func perform(on owner: GatewayOwner) throws -> SessionDescription {
    try SessionDescription(showing: owner.store)
  }
}

/// Ends the session.
public struct SessionEndRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "session.end"
  /// Whether what is known of the gateway's meters goes, too.
  public var forgetsMeters: Bool

  /// Ends the session.
  public init(forgetsMeters: Bool = false) { self.forgetsMeters = forgetsMeters }

  /// - Throws: ``GatewayError`` with code `no_session`, and what ``GatewayDelivery/end(store:forgettingMeters:)`` throws.
  public func perform(on owner: GatewayOwner) throws -> EndedSessionDescription {
    guard let ended = try GatewayDelivery.end(store: owner.store, forgettingMeters: forgetsMeters) else {
      throw GatewayError(
        .failed, code: "no_session", "there is no session to end", hint: "`meterhost session start --help` shows how")
    }
    return EndedSessionDescription(ended)
  }
}

/// Adds a receiver to the session.
public struct SinkAddRequest: ControlRequest {
  /// What was added.
  public struct Answer: Codable, Sendable {
    /// The receiver.
    public var sink: SinkDescription?
    /// Why it has not validated the token yet; nil when it has.
    public var unvalidated: String?
  }

  /// Its name on the socket.
  public static let name = "sink.add"
  /// The receiver's name.
  public var sink: String
  /// The access token.
  public var token: String
  /// How it is reached; files by their whole paths.
  public var setting: ReceiverSetting

  /// Adds a receiver.
  public init(_ sink: String, token: String, setting: ReceiverSetting) {
    self.sink = sink
    self.token = token
    self.setting = setting
  }

  /// Performs it.
  public func perform(on owner: GatewayOwner) async throws -> Answer {
    let unvalidated = try await GatewaySink.add(sink, setting: setting, token: AccessToken(token), to: owner.store)
    let added = try GatewaySink.all(in: owner.store).first { $0.name == sink }
    return Answer(sink: added.map(SinkDescription.init), unvalidated: unvalidated)
  }
}

/// The receivers beside the session's own.
public struct SinkListRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "sink.list"

  /// Asks for the list.
  public init() {}

  /// Performs it.
  public func perform(on owner: GatewayOwner) throws -> [SinkDescription] {
    try GatewaySink.all(in: owner.store).map(SinkDescription.init)
  }
}

/// Removes a receiver from the session.
public struct SinkRemoveRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "sink.remove"
  /// The receiver's name.
  public var sink: String

  /// Removes a receiver.
  public init(_ sink: String) { self.sink = sink }

  /// - Throws: ``GatewayError`` with code `unknown_sink`.
  public func perform(on owner: GatewayOwner) throws -> Bool {
    guard try owner.store.removeSink(sink) else {
      throw GatewayError(
        .usage, code: "unknown_sink", "the session has no receiver \(sink)",
        hint: "`meterhost session sink list` shows what there is")
    }
    return true
  }
}

/// Takes back what an ended session has left.
public struct SessionRecoverRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "session.recover"
  /// The recovery file by its whole path.
  public var file: String
  /// Deliver at once.
  public var delivers: Bool

  /// Takes a file back.
  public init(file: String, delivers: Bool) {
    self.file = file
    self.delivers = delivers
  }

  /// - Throws: `StoreError`; ``GatewayError`` with code `session_ended` when the receiver refuses the token: what was taken back
  ///   is in a recovery file again.
  public func perform(on owner: GatewayOwner) async throws -> RecoveryDescription {
    let generation = try owner.store.currentSession().generation
    let summary = RecoveryDescription(try Intake(owner.store).recover(URL(fileURLWithPath: file)))
    guard delivers, !owner.deliversByItself else { return summary }
    if let left = try await owner.deliver([], of: generation) { throw left.error("what was taken back is") }
    return summary
  }
}
