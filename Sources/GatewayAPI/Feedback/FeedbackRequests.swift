/// What happens at the moments of headless reads, as `--json` shows it.
public struct FeedbackDescription: Codable, Sendable, Hashable {
  /// At the moment to measure.
  public var ready: FeedbackSettings.Actions
  /// When readings came.
  public var read: FeedbackSettings.Actions
  /// When a meter could not be read.
  public var failed: FeedbackSettings.Actions
  /// What is missing for it on this machine, each thing once; empty when all of it would work.
  public var problems: [FeedbackProblem]

  package init(
    ready: FeedbackSettings.Actions, read: FeedbackSettings.Actions, failed: FeedbackSettings.Actions,
    problems: [FeedbackProblem]
  ) {
    self.ready = ready
    self.read = read
    self.failed = failed
    self.problems = problems
  }

  /// What happens at a kind of moment.
  public subscript(kind: FeedbackMoment.Kind) -> FeedbackSettings.Actions {
    switch kind {
    case .ready: ready
    case .read: read
    case .failed: failed
    }
  }
}

/// What happens at the moments of headless reads.
public struct FeedbackShowRequest: ControlRequest {
  /// What happens.
  public typealias Answer = FeedbackDescription

  /// Its name on the socket.
  public static let name = "feedback.show"
  /// It changes nothing.
  public static let onlyLooks = true
  /// What changes nothing may be asked twice.
  public static let isRepeatable = true

  /// Asks for the settings.
  public init() {}
}

/// Changes what happens at moments of headless reads, from now on and for later starts.
public struct FeedbackSetRequest: ControlRequest {
  /// A choice that may be taken back.
  public enum Choice<Value: Codable & Sendable & Hashable>: Sendable, Hashable {
    /// It does not happen.
    case nothing
    /// It happens.
    case chosen(Value)
  }

  /// What happens from now on.
  public typealias Answer = FeedbackDescription

  /// Its name on the socket.
  public static let name = "feedback.set"
  /// The same settings twice are the same settings.
  public static let isRepeatable = true
  /// The moments for which it is changed; what is set for the others stays.
  public var moments: [FeedbackMoment.Kind]
  /// Whether a notification is shown; nil leaves it.
  public var notification: Bool?
  /// The absolute path of a sound file; nil leaves it.
  public var sound: Choice<String>?
  /// The absolute path of a program and its arguments; nil leaves it.
  public var hook: Choice<[String]>?

  /// Changes nothing yet.
  public init(_ moments: [FeedbackMoment.Kind] = FeedbackMoment.Kind.allCases) { self.moments = moments }

  /// Switches everything off at these moments.
  public static func off(_ moments: [FeedbackMoment.Kind]) -> FeedbackSetRequest {
    var request = FeedbackSetRequest(moments)
    (request.notification, request.sound, request.hook) = (false, .nothing, .nothing)
    return request
  }
}

/// What trying out one feedback has come to.
public struct FeedbackTrial: Codable, Sendable, Hashable {
  /// At which moment the feedback is given.
  public var event: OpenWord<FeedbackMoment.Kind>
  /// `notification`, `sound` or `hook`.
  public var action: String
  /// What went wrong; nil: it was given.
  public var problem: FeedbackProblem?

  package init(event: FeedbackMoment.Kind, action: String, problem: FeedbackProblem? = nil) {
    self.event = OpenWord(event)
    self.action = action
    self.problem = problem
  }
}

/// Gives each feedback that was chosen once.
public struct FeedbackTestRequest: ControlRequest {
  /// What each has come to.
  public typealias Answer = [FeedbackTrial]

  /// Its name on the socket.
  public static let name = "feedback.test"
  /// The moments whose feedback is given.
  public var moments: [FeedbackMoment.Kind]

  /// Tries the feedback of these moments.
  public init(_ moments: [FeedbackMoment.Kind] = FeedbackMoment.Kind.allCases) { self.moments = moments }
}

extension FeedbackSetRequest {
  private enum CodingKeys: String, CodingKey { case moments, notification, sound, hook }

  /// Reads a request. What is left out stays as it is, and what is null is switched off.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(try container.words(.moments) ?? FeedbackMoment.Kind.allCases)
    notification = try container.decodeIfPresent(Bool.self, forKey: .notification)
    sound = try container.choice(.sound)
    hook = try container.choice(.hook)
  }

  /// Writes it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(moments, forKey: .moments)
    try container.encodeIfPresent(notification, forKey: .notification)
    try container.encode(sound, forKey: .sound)
    try container.encode(hook, forKey: .hook)
  }
}

extension FeedbackTestRequest {
  enum CodingKeys: String, CodingKey { case moments }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(try container.words(.moments) ?? FeedbackMoment.Kind.allCases)
  }
}

extension KeyedDecodingContainer {
  fileprivate func choice<Value>(_ key: Key) throws -> FeedbackSetRequest.Choice<Value>? {
    guard contains(key) else { return nil }
    return try decodeNil(forKey: key) ? .nothing : .chosen(try decode(Value.self, forKey: key))
  }
}

extension KeyedEncodingContainer {
  fileprivate mutating func encode<Value>(_ choice: FeedbackSetRequest.Choice<Value>?, forKey key: Key) throws {
    switch choice {
    case .nothing?: try encodeNil(forKey: key)
    case .chosen(let value)?: try encode(value, forKey: key)
    case nil: break
    }
  }
}
