/// Starts a session.
public struct SessionStartRequest: ControlRequest {
  /// The session that has started.
  public typealias Answer = SessionDescription

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
}

/// The session in force.
public struct SessionShowRequest: ControlRequest {
  /// The session.
  public typealias Answer = SessionDescription

  /// Its name on the socket.
  public static let name = "session.show"
  /// It changes nothing.
  public static let onlyLooks = true

  /// Asks about the session.
  public init() {}
}

/// Ends the session.
public struct SessionEndRequest: ControlRequest {
  /// What its end has left.
  public typealias Answer = EndedSessionDescription

  /// Its name on the socket.
  public static let name = "session.end"
  /// Whether what is known of the gateway's meters goes, too.
  public var forgetsMeters: Bool

  /// Ends the session.
  public init(forgetsMeters: Bool = false) { self.forgetsMeters = forgetsMeters }
}

/// Adds a receiver to the session.
public struct SinkAddRequest: ControlRequest {
  /// What was added.
  public struct Answer: Codable, Sendable {
    /// The receiver.
    public var sink: SinkDescription?
    /// Why it has not validated the token yet; nil when it has.
    public var unvalidated: String?

    package init(sink: SinkDescription? = nil, unvalidated: String? = nil) {
      self.sink = sink
      self.unvalidated = unvalidated
    }
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
}

/// The receivers beside the session's own.
public struct SinkListRequest: ControlRequest {
  /// The receivers, by name.
  public typealias Answer = [SinkDescription]

  /// Its name on the socket.
  public static let name = "sink.list"
  /// It changes nothing.
  public static let onlyLooks = true

  /// Asks for the list.
  public init() {}
}

/// Removes a receiver from the session.
public struct SinkRemoveRequest: ControlRequest {
  /// Always true.
  public typealias Answer = Bool

  /// Its name on the socket.
  public static let name = "sink.remove"
  /// The receiver's name.
  public var sink: String

  /// Removes a receiver.
  public init(_ sink: String) { self.sink = sink }
}

/// Takes back what an ended session has left.
public struct SessionRecoverRequest: ControlRequest {
  /// What was taken back.
  public typealias Answer = RecoveryDescription

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
}

extension SessionEndRequest {
  enum CodingKeys: String, CodingKey { case forgetsMeters = "forgets_meters" }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(forgetsMeters: try container.decode(.forgetsMeters, else: false))
  }
}

extension SessionRecoverRequest {
  enum CodingKeys: String, CodingKey { case file, delivers }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      file: try container.decode(String.self, forKey: .file), delivers: try container.decode(.delivers, else: true))
  }
}
