import ArgumentParser
import Foundation
import GatewayAPI

/// `meterhost feedback`: what a person notices headless reads by.
struct FeedbackCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feedback", abstract: "Choose a notification, a sound or a program for what passive reading does.",
    discussion: """
      A meter that is ready, was read, or could not be read can be noticed without looking. Silence means that no meter was
      discovered. The settings belong to the state folder; a running host obeys at once.
      """, subcommands: [Show.self, Set.self, Off.self, Test.self], defaultSubcommand: Show.self)

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show what happens, and what is missing for it.",
      discussion: "EXAMPLE\n  meterhost feedback show")

    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      FeedbackCommand.show(try await locations.perform(FeedbackShowRequest()), output)
    }
  }

  struct Set: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Choose what happens.",
      discussion: """
        A hook is a program by its absolute path, and its arguments; quotes and backslashes keep blanks, and no shell reads them. It runs as
        the host's user, has ten seconds, and hears in its environment: METERHOST_EVENT (ready, read, failed), METERHOST_PERIPHERAL,
        METERHOST_METER, METERHOST_COUNT (new readings), METERHOST_ERROR. No reading is told to it.

        EXAMPLES
          meterhost feedback set --notify
          meterhost feedback set --read --sound /usr/share/sounds/freedesktop/stereo/complete.oga
          meterhost feedback set --read --failed --hook '/usr/local/bin/blink "the lamp"' --json
        """)

    @OptionGroup var moments: FeedbackMomentOptions
    @Flag(inversion: .prefixedNo, help: "Show a desktop notification (notify-send).")
    var notify: Bool?
    @Option(
      help: ArgumentHelp("Play this file (pw-play, paplay or aplay).", valueName: "file"), completion: .file())
    var sound: String?
    @Flag(help: "Play no sound.")
    var noSound = false
    @Option(help: ArgumentHelp("Run this program with these arguments.", valueName: "words"))
    var hook: String?
    @Flag(help: "Run no program.")
    var noHook = false
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func validate() throws {
      guard notify != nil || sound != nil || noSound || hook != nil || noHook else {
        throw ValidationError("Name what is to happen: --notify, --sound, --hook, or one of them with --no-.")
      }
      guard sound == nil || !noSound, hook == nil || !noHook else {
        throw ValidationError("--sound goes without --no-sound, and --hook without --no-hook.")
      }
      guard hook.map({ HookText.words($0) != nil }) ?? true else {
        throw ValidationError("--hook takes a program and its arguments; a quotation in it must end.")
      }
    }

    func run() async throws {
      var request = FeedbackSetRequest(moments.chosen)
      request.notification = notify
      // Whoever owns the state folder works elsewhere.
      request.sound = noSound ? .nothing : sound.map { .chosen(URL(fileURLWithPath: $0).standardizedFileURL.path) }
      request.hook = noHook ? .nothing : hook.flatMap(HookText.words).map { .chosen($0) }
      FeedbackCommand.show(try await locations.perform(request), output)
    }
  }

  struct Off: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "off", abstract: "Let nothing happen any more.",
      discussion: "EXAMPLES\n  meterhost feedback off\n  meterhost feedback off --ready")

    @OptionGroup var moments: FeedbackMomentOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      FeedbackCommand.show(try await locations.perform(FeedbackSetRequest.off(moments.chosen)), output)
    }
  }

  struct Test: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "test", abstract: "Let each thing that was chosen happen once, and say what went wrong.",
      discussion: """
        Programs hear METERHOST_TEST=1 and the peripheral 0. Exits 1 when something went wrong.

        EXAMPLE
          meterhost feedback test --read
        """)

    @OptionGroup var moments: FeedbackMomentOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let trials = try await locations.perform(FeedbackTestRequest(moments.chosen))
      let terminal = Terminal()
      for trial in trials {
        guard !output.json else {
          terminal.json(trial)
          continue
        }
        terminal.out("\(trial.event.rawValue)  \(trial.action): \(trial.problem?.message ?? "given")")
        if let problem = trial.problem { terminal.out("  \(problem.cure)") }
      }
      if trials.contains(where: { $0.problem != nil }) { throw ExitCode(1) }
    }
  }

  private static func show(_ settings: FeedbackDescription, _ output: OutputOptions) {
    let terminal = Terminal()
    guard !output.json else { return terminal.json(settings) }
    terminal.list(FeedbackMoment.Kind.allCases.map { ($0.rawValue, settings[$0].text) })
    for problem in settings.problems {
      terminal.error("\(terminal.styled("warning:", .yellow)) \(problem.message)")
      terminal.error("hint: \(problem.cure)")
    }
  }
}

/// At which moments; all of them where none is named.
struct FeedbackMomentOptions: ParsableArguments {
  @Flag(help: "When a meter is ready to measure.")
  var ready = false
  @Flag(help: "When readings came.")
  var read = false
  @Flag(help: "When a meter could not be read.")
  var failed = false

  var chosen: [FeedbackMoment.Kind] {
    let named: [(Bool, FeedbackMoment.Kind)] = [(ready, .ready), (read, .read), (failed, .failed)]
    let chosen = named.filter(\.0).map(\.1)
    return chosen.isEmpty ? FeedbackMoment.Kind.allCases : chosen
  }
}

extension FeedbackSettings.Actions {
  /// For people.
  fileprivate var text: String {
    let parts = [
      notification ? "notification" : nil, sound.map { "sound \($0)" },
      hook.map { "hook \($0.map(Self.quoted).joined(separator: " "))" },
    ].compactMap(\.self)
    return parts.isEmpty ? "nothing" : parts.joined(separator: "\n")
  }

  /// A word of a hook as `feedback set` takes it.
  private static func quoted(_ word: String) -> String {
    let plain = word.allSatisfy { !$0.isWhitespace && !"'\"\\".contains($0) }
    return plain && !word.isEmpty ? word : "\"\(word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
  }
}
