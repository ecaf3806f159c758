import GatewayAPI
import Foundation

/// Gives feedback: one notification, one sound or one hook at a time for each who calls it.
struct FeedbackRunner: Sendable {
  /// What is to be done.
  enum Action: Sendable, Hashable {
    case notification
    case sound(String)
    case hook([String])
  }

  /// How long a program may take.
  var limit: Duration = .seconds(10)
  /// The host's environment.
  var environment = ProcessInfo.processInfo.environment
  /// How long files may take that are looked at, and programs to start.
  var fileLimit: Duration = .seconds(10)
  /// Who looks at them.
  var files = FeedbackFileWork.forRequests

  /// Does it.
  ///
  /// - Throws: ``FeedbackProblem``, also when the task is cancelled.
  func perform(_ action: Action, for moment: FeedbackMoment) async throws(FeedbackProblem) {
    switch action {
    case .notification:
      let words = ["--app-name=MeterHost", "--", moment.title, Self.markup(moment.text)]
      try await run(
        for: moment, at: path,
        cure:
          "notifications need a desktop session of the same user: look whether DBUS_SESSION_BUS_ADDRESS is set there"
      ) { () throws(FeedbackProblem) in
        guard let notifier = find(FeedbackFiles.notifier) else { throw FeedbackFiles.notifierMissing }
        return [notifier] + words
      }
    case .sound(let file):
      try await play(file, for: moment)
    case .hook(let words):
      try await run(for: moment, at: words.first ?? "", cure: "run it by hand as the same user") {
        () throws(FeedbackProblem) in
        if let problem = FeedbackFiles.problem(ofHook: words) { throw problem }
        return words
      }
    }
  }

  /// What is missing for an action, as far as a look at the files tells.
  func problem(of action: Action) async -> FeedbackProblem? {
    switch action {
    case .notification:
      return await look(at: path) { find(FeedbackFiles.notifier) == nil ? FeedbackFiles.notifierMissing : nil }
    case .sound(let file):
      if let problem = await problem(ofSound: file) { return problem }
      return await look(at: path) {
        FeedbackFiles.players.contains { find($0) != nil } ? nil : FeedbackFiles.playerMissing
      }
    case .hook(let words): return await problem(ofHook: words)
    }
  }

  /// What is wrong with a hook; nil when it can be run.
  func problem(ofHook words: [String]) async -> FeedbackProblem? {
    await look(at: words.first ?? "") { FeedbackFiles.problem(ofHook: words) }
  }

  /// What is wrong with a sound file; nil when it can be read.
  func problem(ofSound file: String) async -> FeedbackProblem? {
    await look(at: file) { FeedbackFiles.problem(ofSound: file) }
  }

  private func look(at place: String, _ look: @escaping @Sendable () -> FeedbackProblem?) async -> FeedbackProblem? {
    await files.problem(at: place, within: fileLimit, look)
  }

  /// Plays a sound with the first program that can: one may be installed whose sound server does not run.
  private func play(_ file: String, for moment: FeedbackMoment) async throws(FeedbackProblem) {
    if let problem = await problem(ofSound: file) { throw problem }
    var problem = FeedbackFiles.playerMissing
    for name in FeedbackFiles.players {
      do throws(FeedbackProblem) {
        try await run(
          for: moment, at: path, cure: "play it by hand as the same user, and look at the sound device"
        ) { () throws(FeedbackProblem) in
          guard let player = find(name) else { throw FeedbackFiles.playerMissing }
          return [player, file]
        }
        return
      } catch {
        if error.code == .playerMissing { continue }
        problem = error
        // What has played for so long was heard, and nobody waits for a second one.
        if error.code == .timeout || Task.isCancelled { break }
      }
    }
    throw problem
  }

  /// - Parameters:
  ///   - place: Where the program is.
  ///   - command: Finds the program: its file and its arguments.
  private func run(
    for moment: FeedbackMoment, at place: String, cure: String,
    _ command: @escaping @Sendable () throws(FeedbackProblem) -> [String]
  ) async throws(FeedbackProblem) {
    let variables = variables(for: moment)
    let process = try await files.perform(at: place, within: fileLimit, late: { $0.cancel() }) {
      () throws(FeedbackProblem) in try FeedbackProcess(command(), environment: variables)
    }
    let (program, limit) = (process.program, limit)
    let end = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: process.end(within: limit)) }
      }
    } onCancel: {
      process.cancel()
    }
    let said = Self.oneLine(end.output)
    let words = said.isEmpty ? "" : ": \(said)"
    switch end.how {
    case .exited(0): return
    case .exited(let status):
      throw FeedbackProblem(.failed, "\(program) failed with status \(status)\(words)", cure: cure)
    case .killed(let signal):
      throw FeedbackProblem(.failed, "\(program) was ended by signal \(signal)\(words)", cure: cure)
    case .timeout:
      throw FeedbackProblem(
        .timeout, "\(program) had not ended after \(limit.components.seconds) s and was killed\(words)",
        cure: "let it end sooner; what takes longer belongs into a service of its own")
    case .cancelled, .unknown: throw FeedbackProblem(.failed, "\(program) was ended by the host", cure: cure)
    }
  }

  /// What a program may know of the host's environment: where its user's desktop and sound are, and nothing of the host.
  static let inherited: Set<String> = [
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_MESSAGES", "TZ", "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "PULSE_SERVER", "PIPEWIRE_REMOTE",
    "PIPEWIRE_RUNTIME_DIR", "ALSA_CARD",
  ]

  private func variables(for moment: FeedbackMoment) -> [String: String] {
    var variables = environment.filter { Self.inherited.contains($0.key) }
    variables["PATH"] = path
    return variables.merging(moment.variables) { $1 }
  }

  private var path: String { environment["PATH"].flatMap { $0.isEmpty ? nil : $0 } ?? "/usr/local/bin:/usr/bin:/bin" }

  private func find(_ name: String) -> String? { FeedbackFiles.program(name, on: path) }

  /// The text of a notification has markup; names come from registries.
  ///
  /// By scalar: a bracket that a mark joins is another character, and a bracket all the same for who reads the markup.
  private static func markup(_ text: String) -> String {
    var escaped = String.UnicodeScalarView()
    for scalar in oneLine(text).unicodeScalars {
      switch scalar {
      case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
      case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
      case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }

  /// One line for a log, without what a terminal would obey.
  private static func oneLine(_ text: String) -> String {
    let blank: Unicode.Scalar = " "
    let shown = text.unicodeScalars.map { $0.properties.generalCategory.isShown ? $0 : blank }
    let words = shown.split { $0.properties.isWhitespace }
    return String(String.UnicodeScalarView(words.joined(separator: [blank]).prefix(300)))
  }
}

extension Unicode.GeneralCategory {
  fileprivate var isShown: Bool {
    switch self {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    default: true
    }
  }
}
