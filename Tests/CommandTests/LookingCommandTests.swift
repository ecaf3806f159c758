import Foundation
import TestSupport
import Testing

/// Which commands only look, and which do something: without its output the former is nothing and may be done again, the latter is
/// not begun. A new command has to be put into one of these lists.
@Suite("Commands that only look", .timeLimit(.minutes(60))) struct LookingCommandTests {
  struct Line: Sendable, CustomTestStringConvertible {
    let command: String
    var arguments = ""

    /// From `command`, or `command: arguments`.
    init(_ text: String) {
      let parts = text.split(separator: ":", maxSplits: 1)
      command = String(parts.first ?? "")
      if parts.count > 1 { arguments = String(parts[1]) }
    }

    var words: [String] { (command + " " + arguments).split(separator: " ").map(String.init) }
    var testDescription: String { words.joined(separator: " ") }
  }

  /// They end with their output.
  static let looking = [
    "peripherals list", "peripherals show: 1000", "scan: --timeout 0.1", "snap list", "snap show: 10001",
    "snap cameras", "meters list", "passive show", "key list", "feedback show", "driver list", "driver show: x",
    "driver why: 1000", "driver verify: x", "driver decode", "driver call: x --describe", "driver test: x",
    "driver replay: x", "driver recordings list", "driver recordings show: x", "driver recordings settings",
    "driver recordings support-key", "driver quarantine list", "driver quarantine show: x", "driver key show: x",
    "driver trust list", "driver source list",
    "queue list", "queue held", "queue dead", "queue images", "queue show: x", "queue limits",
    "events", "log show", "log tail", "metrics", "config check", "config show", "session show", "session sink list",
    "sink kinds",
    "sink list",
    "sink show: x",
    "sink test: x", "session recover: x --list", "doctor",
    "completions: bash", "health import: x --dry-run", "health subscribe list", "health sources list",
    "backup show", "backup verify: x",
    "fhir export: --patient Patient/1 -",
    "health report", "health vanished list", "health watch list", "health ingest show", "health ingest token list",
  ].map(Line.init)

  /// They end with whoever listens: what they serve or play is nobody's reading, or is on disk.
  static let serving = [
    "meter run: x", "receive: --database /dev/null/x", "fleet: list --database /dev/null/x", "demo", "snap view",
    "snap bench: --labels x",
  ].map(Line.init)

  /// Readings and bonds matter more than who looks on: they go on.
  static let outliving = ["run", "read: 1000", "pair: 1000", "snap read: --peripheral 10001"].map(Line.init)

  /// They do something, and are not begun where its result cannot be told.
  static let changing = [
    "setup: --yes", "session body: --off",
    "meters set: x --hold-off 5", "meters assign: x --nobody", "meters forget: x", "passive set: 1000", "passive off",
    "key set: 1 x", "key forget: 1 x", "feedback set: --sound /x", "feedback off", "feedback test",
    "driver call: x y", "driver recordings export: x y", "driver recordings keep: x", "driver recordings remove: x",
    "driver recordings settings: --days 3", "driver recordings support-key: x", "driver recordings key make: x",
    "driver import-capture: x --peripheral 1", "driver quarantine lift: x", "driver new: x --language c",
    "driver fuzz: x", "driver pack: x", "driver key make: x", "driver sign: x --key y", "driver install: x",
    "driver index: x --key y", "driver update: x", "driver update: --auto on", "driver source add: /x",
    "driver source remove: /x", "driver rollback: x", "driver enable: x", "driver disable: x", "driver remove: x",
    "driver trust add: x", "driver trust remove: x",
    "driver trust revoke: x --key \(String(repeating: "0", count: 64))", "driver trust floor: x", "driver trust policy",
    "backup make: x", "restore: x",
    "submit record: x", "submit image: x y", "queue confirm: x", "queue edit: x --value a=1", "queue resubmit: x",
    "fhir export: --patient Patient/1 x",
    "queue discard: x", "queue pause", "queue resume", "queue flush", "queue limits: --records 5", "log set: debug",
    "log values: off", "session start: --user u --organization o --receiver http://127.0.0.1:9",
    "session sink add: x --receiver http://127.0.0.1:9", "session sink remove: x",
    "sink add: x --set receiver=http://127.0.0.1:9", "sink pause: x", "sink resume: x",
    "sink remove: x", "session end", "session recover: x",
    "api create: x", "api update: x", "api upsert: x", "api delete: --type weight x", "api upload: x --record y",
    "doctor: --repair", "doctor: --report x", "health import: x", "health history: x --from 2026-01-01",
    "health subscribe set: sleep", "health subscribe off", "health sources order: x", "health sources off: x",
    "health sources on: x", "health watch add: x", "health watch remove: x", "health ingest listen: off",
    "health ingest token new: x", "health ingest token revoke: x", "health fetch-latest",
    "health vanished delete: --all", "console link", "console password: --remove",
  ].map(Line.init)

  /// The commands of a program as ArgumentParser describes them to tools.
  private struct Description: Decodable {
    struct Command: Decodable {
      let commandName: String
      let subcommands: [Command]?

      /// Those that do something themselves, by their words.
      func leaves(below words: [String] = []) -> [String] {
        let own = (subcommands ?? []).filter { $0.commandName != "help" }
        guard !own.isEmpty else { return [words.joined(separator: " ")] }
        return own.flatMap { $0.leaves(below: words + [$0.commandName]) }
      }
    }

    let command: Command
  }

  @Test("are told from those that do something, for every command that there is")
  func everyCommand() async throws {
    let told = try await Program.run("--experimental-dump-help")
    let commands = try JSONDecoder().decode(Description.self, from: Data(told.out.utf8)).command.leaves()
    #expect(commands.count > 80)
    let decided = Set((Self.looking + Self.serving + Self.outliving + Self.changing).map(\.command))
    #expect(
      Set(commands).subtracting(decided).isEmpty,
      "decide whether they only look: in LookingCommands.swift, and in a list of this suite")
    #expect(decided.subtracting(commands).isEmpty, "there is no such command")
  }

  /// Without a registry none of them comes far, whatever it would do.
  private func run(_ line: Line) async throws -> (said: String, hasState: Bool) {
    try await Sandbox.with { sandbox in
      let pipe = Pipe()
      try pipe.fileHandleForReading.close()
      let done = try await Program(
        line.words, in: sandbox, environment: ["METERHOST_REGISTRY": sandbox.path("nothing")],
        output: pipe.fileHandleForWriting
      ).outcome()
      #expect(!done.err.contains(" --help`") && !done.isSignalled, "\(done.err)")
      return (done.err, FileManager.default.fileExists(atPath: sandbox.path("state")))
    }
  }

  @Test(
    "are begun although nobody reads what they say, and so are those that go on",
    arguments: looking + serving + outliving)
  func begun(line: Line) async throws {
    let said = try await run(line).said
    #expect(!said.contains("nothing was done"), "\(said)")
  }

  @Test("have no part in what is refused where nobody can be told of it", arguments: changing)
  func refused(line: Line) async throws {
    let (said, hasState) = try await run(line)
    #expect(said.contains("nothing was done: its result could not be told"), "\(said)")
    #expect(!hasState)
  }
}
