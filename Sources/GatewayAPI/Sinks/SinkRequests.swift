/// Adds a receiver to the session.
public struct SinkAddRequest: ControlRequest {
  /// What was added.
  public struct Answer: Codable, Sendable {
    /// The receiver as it is then.
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
  /// Its kind; nil for `inform`.
  public var kind: String?
  /// The access token; nil for a kind that has none.
  public var token: String?
  /// How it is reached; files by their whole paths.
  public var setting: [String: SettingValue]
  /// What a person has confirmed of whose readings the receiver would take them for (``SinkSubjectRequest``); nil for kinds that
  /// ask nobody.
  public var confirmed: String?

  /// Adds a receiver.
  public init(
    _ sink: String, kind: String?, token: String?, setting: [String: SettingValue], confirmed: String? = nil
  ) {
    (self.sink, self.kind, self.token, self.setting, self.confirmed) = (sink, kind, token, setting, confirmed)
  }
}

/// The receivers of the session.
public struct SinkListRequest: ControlRequest {
  /// The receivers, the session's own first.
  public typealias Answer = [SinkDescription]

  /// Its name on the socket.
  public static let name = "sink.list"
  /// It changes nothing.
  public static let onlyLooks = true

  /// Asks for the list.
  public init() {}
}

/// One receiver with all that is known of it.
public struct SinkShowRequest: ControlRequest {
  /// Its setting, its queue, and how its last attempts went.
  public typealias Answer = SinkReport

  /// Its name on the socket.
  public static let name = "sink.show"
  /// It changes nothing.
  public static let onlyLooks = true
  /// The receiver's name.
  public var sink: String

  /// Asks about a receiver.
  public init(_ sink: String) { self.sink = sink }
}

/// The kinds of receivers that there are.
public struct SinkKindsRequest: ControlRequest {
  /// What each does with readings, and what its setting says.
  public typealias Answer = [SinkKindDescription]

  /// Its name on the socket.
  public static let name = "sink.kinds"
  /// It changes nothing.
  public static let onlyLooks = true

  /// Asks for the kinds.
  public init() {}
}

/// Asks a receiver that is not there yet whose readings it would take them for, so that a person can look. Nothing is stored there.
public struct SinkSubjectRequest: ControlRequest {
  /// What it says.
  public struct Answer: Codable, Sendable {
    /// The person; nil for a kind of which the credential says whose readings they are.
    public var subject: SinkSubjectDescription?

    package init(subject: SinkSubjectDescription? = nil) { self.subject = subject }
  }

  /// Its name on the socket.
  public static let name = "sink.subject"
  /// It changes nothing.
  public static let onlyLooks = true
  /// The receiver's kind; nil for `inform`.
  public var kind: String?
  /// The access token; nil for a kind that has none.
  public var token: String?
  /// How it is reached; files by their whole paths.
  public var setting: [String: SettingValue]

  /// Asks a receiver.
  public init(kind: String?, token: String?, setting: [String: SettingValue]) {
    (self.kind, self.token, self.setting) = (kind, token, setting)
  }
}

/// Asks a receiver whether it can be reached, and what it says of its token. Nothing is stored there.
public struct SinkTestRequest: ControlRequest {
  /// What it says.
  public struct Answer: Codable, Sendable {
    /// `accepted`, `refused`, `other_user`, or `unknown` when it cannot be reached or does not say.
    public var verdict: String
    /// Why it does not say, or why the readings would be another person's.
    public var reason: String?

    package init(verdict: String, reason: String? = nil) { (self.verdict, self.reason) = (verdict, reason) }
  }

  /// Its name on the socket.
  public static let name = "sink.test"
  /// Asking twice is as good as asking once.
  public static let isRepeatable = true
  /// The receiver's name.
  public var sink: String

  /// Asks a receiver.
  public init(_ sink: String) { self.sink = sink }
}

/// Pauses deliveries to a receiver, or lets them go on.
public struct SinkPauseRequest: ControlRequest {
  /// The receiver as it is then.
  public typealias Answer = SinkDescription

  /// Its name on the socket.
  public static let name = "sink.pause"
  /// Pausing twice is pausing once.
  public static let isRepeatable = true
  /// The receiver's name.
  public var sink: String
  /// Whether nothing is sent to it from now on.
  public var paused: Bool

  /// Pauses a receiver, or lets it go on.
  public init(_ sink: String, paused: Bool) { (self.sink, self.paused) = (sink, paused) }
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
