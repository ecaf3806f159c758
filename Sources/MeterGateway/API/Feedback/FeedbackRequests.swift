import MeterCore

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

  /// Describes settings.
  init(_ settings: FeedbackSettings, _ runner: FeedbackRunner = FeedbackRunner()) async {
    (ready, read, failed) = (settings.ready, settings.read, settings.failed)
    problems = []
    for kind in FeedbackMoment.Kind.allCases {
      for action in settings[kind].all {
        if let problem = await runner.problem(of: action), !problems.contains(problem) { problems.append(problem) }
      }
    }
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

extension FeedbackSettings.Actions {
  /// What is to be done.
  var all: [FeedbackRunner.Action] {
    [notification ? .notification : nil, sound.map { .sound($0) }, hook.map { .hook($0) }].compactMap(\.self)
  }
}

/// What happens at the moments of headless reads.
public struct FeedbackShowRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "feedback.show"
  /// Looking changes nothing.
  public static let isRepeatable = true

  /// Asks for the settings.
  public init() {}

  /// Performs it.
  public func perform(on owner: GatewayOwner) async throws -> FeedbackDescription {
    await FeedbackDescription(try owner.store.feedbackSettings())
  }
}

/// Changes what happens at moments of headless reads, from now on and for later starts.
public struct FeedbackSetRequest: ControlRequest {
  /// A choice that may be taken back.
  public enum Choice<Value: Codable & Sendable & Hashable>: Codable, Sendable, Hashable {
    /// It does not happen.
    case nothing
    /// It happens.
    case chosen(Value)

    fileprivate var value: Value? { if case .chosen(let value) = self { value } else { nil } }
  }

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

  /// - Throws: ``GatewayError`` with code `feedback_hook`, `feedback_sound` or `feedback_timeout`; `StoreError`.
  public func perform(on owner: GatewayOwner) async throws -> FeedbackDescription {
    try await perform(on: owner, FeedbackRunner())
  }

  /// Only what it names is looked at: nothing that was chosen before can keep it from being taken back.
  func perform(on owner: GatewayOwner, _ runner: FeedbackRunner) async throws -> FeedbackDescription {
    if let words = hook?.value, let problem = await runner.problem(ofHook: words) { throw GatewayError(problem) }
    if let file = sound?.value, let problem = await runner.problem(ofSound: file) { throw GatewayError(problem) }
    var settings = try owner.store.feedbackSettings()
    for kind in moments {
      if let notification { settings[kind].notification = notification }
      if let sound { settings[kind].sound = sound.value }
      if let hook { settings[kind].hook = hook.value }
    }
    try owner.store.setFeedbackSettings(settings)
    return await FeedbackDescription(settings, runner)
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
}

/// Gives each feedback that was chosen once.
public struct FeedbackTestRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "feedback.test"
  /// At which moments.
  public var moments: [FeedbackMoment.Kind]

  /// Tries the feedback of these moments.
  public init(_ moments: [FeedbackMoment.Kind] = FeedbackMoment.Kind.allCases) { self.moments = moments }

  /// - Throws: ``GatewayError`` with code `no_feedback` when nothing was chosen; `StoreError`.
  public func perform(on owner: GatewayOwner) async throws -> [FeedbackTrial] {
    let settings = try owner.store.feedbackSettings()
    let runner = FeedbackRunner()
    var trials: [FeedbackTrial] = []
    for kind in moments {
      for action in settings[kind].all {
        var trial = FeedbackTrial(event: kind, action: action.name)
        do throws(FeedbackProblem) { try await runner.perform(action, for: .test(kind)) } catch {
          trial.problem = error
        }
        trials.append(trial)
      }
    }
    guard !trials.isEmpty else {
      throw GatewayError(
        .failed, code: "no_feedback", "no feedback is set for this",
        hint: "`meterhost feedback set --help` shows how")
    }
    return trials
  }
}

extension FeedbackRunner.Action {
  fileprivate var name: String {
    switch self {
    case .notification: "notification"
    case .sound: "sound"
    case .hook: "hook"
    }
  }
}
