/// Says whose readings are taken and where they go; the session of another user ends with it.
public struct SessionStartRequest: ControlRequest {
  /// The session that has started.
  public typealias Answer = SessionDescription

  /// Its name on the socket.
  public static let name = "session.start"
  /// The receiver's id of the user.
  public var user: String
  /// The receiver's id of the organisation.
  public var organization: String
  /// The access token; the socket is open to the folder's user only. Nil for a kind of receiver that has none.
  public var token: String?
  /// The kind of the receiver; nil for `inform`.
  public var kind: String?
  /// How the receiver is reached; files by their whole paths.
  public var setting: [String: SettingValue]
  /// The IANA name of the user's time zone; nil keeps the one that the user's session has.
  public var zone: String?
  /// What a person has confirmed of whose readings the receiver would take them for (``SinkSubjectRequest``); nil for kinds that
  /// ask nobody.
  public var confirmed: String?

  /// Starts a session.
  public init(
    user: String, organization: String, token: String?, kind: String? = nil, setting: [String: SettingValue],
    zone: String? = nil, confirmed: String? = nil
  ) {
    self.zone = zone
    self.confirmed = confirmed
    self.kind = kind
    self.user = user
    self.organization = organization
    self.token = token
    self.setting = setting
  }
}

/// The session in force.
public struct SessionShowRequest: ControlRequest {
  /// Whose readings are taken and where they go; without a session neither.
  public typealias Answer = SessionDescription

  /// Its name on the socket.
  public static let name = "session.show"
  /// It changes nothing.
  public static let onlyLooks = true

  /// Asks about the session.
  public init() {}
}

/// Says what the user's body is like, until the session ends: body composition is computed of their weighings from then on.
public struct SessionBodyRequest: ControlRequest {
  /// The session as it is then.
  public typealias Answer = SessionDescription

  /// Its name on the socket.
  public static let name = "session.body"
  /// The same body twice is the same body.
  public static let isRepeatable = true
  /// Height, sex and day of birth; nil forgets them, and nothing is computed any more.
  public var body: BodyDescription?

  /// Says it.
  public init(_ body: BodyDescription?) { self.body = body }
}

/// Takes no more readings for the user; what is not delivered is kept in a recovery file.
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

/// Takes back what an ended session has left.
public struct SessionRecoverRequest: ControlRequest {
  /// What was taken back.
  public typealias Answer = RecoveryDescription

  /// Its name on the socket.
  public static let name = "session.recover"
  /// The recovery file by its whole path.
  public var file: String
  /// Whether delivery is tried before the answer; a running service delivers by itself in any case.
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
