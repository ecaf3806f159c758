package import GatewayAPI
import MeterCore

extension FeedbackShowRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) async throws -> FeedbackDescription {
    await FeedbackDescription(try owner.store.feedbackSettings())
  }
}

extension FeedbackSetRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `feedback_hook`, `feedback_sound` or `feedback_timeout`; `StoreError`.
  package func perform(on owner: GatewayOwner) async throws -> FeedbackDescription {
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

extension FeedbackSetRequest.Choice {
  fileprivate var value: Value? { if case .chosen(let value) = self { value } else { nil } }
}

extension FeedbackTestRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `no_feedback` when nothing was chosen; `StoreError`.
  package func perform(on owner: GatewayOwner) async throws -> [FeedbackTrial] {
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

extension FeedbackDescription {
  /// Describes settings.
  init(_ settings: FeedbackSettings, _ runner: FeedbackRunner = FeedbackRunner()) async {
    var problems: [FeedbackProblem] = []
    for kind in FeedbackMoment.Kind.allCases {
      for action in settings[kind].all {
        if let problem = await runner.problem(of: action), !problems.contains(problem) { problems.append(problem) }
      }
    }
    self.init(ready: settings.ready, read: settings.read, failed: settings.failed, problems: problems)
  }
}

extension FeedbackSettings.Actions {
  /// What is to be done.
  var all: [FeedbackRunner.Action] {
    [notification ? .notification : nil, sound.map { .sound($0) }, hook.map { .hook($0) }].compactMap(\.self)
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
