/// What happens at the moments of headless reads, as `--json` shows it.
public struct FeedbackDescription: Codable, Sendable, Hashable {
  /// At the moment to measure.
  public var ready: FeedbackSettings.Actions
  /// When readings came.
  public var read: FeedbackSettings.Actions
  /// When a meter could not be read.
  public var failed: FeedbackSettings.Actions
  /// What is missing for it on this machine.
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
  public enum Choice<Value: Codable & Sendable & Hashable>: Codable, Sendable, Hashable {
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
  /// At which moments.
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
  /// The kind of moment.
  public var event: FeedbackMoment.Kind
  /// `notification`, `sound` or `hook`.
  public var action: String
  /// What went wrong; nil: it was given.
  public var problem: FeedbackProblem?

  package init(event: FeedbackMoment.Kind, action: String, problem: FeedbackProblem? = nil) {
    self.event = event
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
  /// At which moments.
  public var moments: [FeedbackMoment.Kind]

  /// Tries the feedback of these moments.
  public init(_ moments: [FeedbackMoment.Kind] = FeedbackMoment.Kind.allCases) { self.moments = moments }
}
