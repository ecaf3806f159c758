import Foundation
import TestSupport
import Testing

@Suite("The configuration file", .timeLimit(.minutes(60))) struct ConfigCommandTests {
  private static func without(_ names: String...) -> [String: String] {
    Dictionary(uniqueKeysWithValues: names.map { ($0, "") })
  }

  @Test func optionsWinOverTheEnvironmentAndThatOverTheFile() async throws {
    try await Sandbox.with { sandbox in
      let file = try sandbox.file(
        "c.toml", "state = \"\(sandbox.path("of-file"))\"\n[radio]\nair = \"\(sandbox.path("other-air"))\"\n")
      func state(_ arguments: [String], _ environment: [String: String]) async throws -> [String: Any] {
        let shown = try await Program.run(
          ["config", "show", "--json", "--config", file] + arguments, in: sandbox, environment: environment)
        #expect(shown.status == 0, "\(shown.err)")
        return try #require(try shown.objects().first { $0["key"] as? String == "state" })
      }
      let ofFile = try await state([], Self.without("METERHOST_STATE"))
      #expect(ofFile["value"] as? String == sandbox.path("of-file") && ofFile["place"] as? String == "\(file):1:9")
      let ofEnvironment = try await state([], [:])
      #expect(ofEnvironment["value"] as? String == sandbox.path("state"))
      #expect(ofEnvironment["source"] as? String == "environment")
      let ofOption = try await state(["--state", sandbox.path("of-option")], [:])
      #expect(ofOption["value"] as? String == sandbox.path("of-option") && ofOption["source"] as? String == "option")
    }
  }

  @Test func commandsObeyTheFile() async throws {
    try await Sandbox.with { sandbox in
      let file = try sandbox.file("c.toml", "state = \"\(sandbox.path("of-file"))\"\n")
      let environment = ["METERHOST_CONFIG": file, "METERHOST_STATE": ""]
      let done = try await Program.run(["queue", "pause"], in: sandbox, environment: environment)
      #expect(done.status == 0, "\(done.err)")
      #expect(FileManager.default.fileExists(atPath: sandbox.path("of-file/state.sqlite")))
      #expect(!FileManager.default.fileExists(atPath: sandbox.path("state")))
    }
  }

  @Test func aMistakeStopsTheCommandAndCheckTellsAll() async throws {
    try await Sandbox.with { sandbox in
      let file = try sandbox.file("c.toml", "stat = \"/x\"\nin_process = 1\n")
      let stopped = try await Program.run(["queue", "pause", "--config", file, "--json"], in: sandbox)
      #expect(stopped.status == 64)
      #expect(try stopped.jsonError()["code"] as? String == "configuration")
      #expect((try stopped.jsonError()["message"] as? String)?.hasPrefix("\(file):1:1: ") == true)
      #expect(!FileManager.default.fileExists(atPath: sandbox.path("state")))
      let checked = try await Program.run(["config", "check", file], in: sandbox)
      #expect(checked.status == 64 && checked.err.isEmpty)
      #expect(checked.lines.count == 2 && checked.lines[0].contains("did you mean state?"))
      #expect(checked.lines[1].hasPrefix("\(file):2:14: "))
      let good = try await Program.run(
        ["config", "check", try sandbox.file("g.toml", "log = \"info\"\n")], in: sandbox)
      #expect(good.status == 0 && good.out.contains("is right"))
    }
  }

  /// Paths are longer than a terminal is wide, and no value is cut.
  @Test func onATerminalWhatDoesNotFitIsAList() async throws {
    try await Sandbox.with { sandbox in
      let terminal = try PseudoTerminal()
      let slave = FileHandle(fileDescriptor: dup(terminal.program.fileDescriptor), closeOnDealloc: true)
      let program = try Program(["config", "show"], in: sandbox, environment: ["TERM": "dumb"], output: slave)
      #expect(await program.outcome().status == 0)
      let lines = terminal.screen().split(whereSeparator: \.isNewline).map(String.init)
      #expect(lines.contains("setting  state") && lines.contains("value    \(sandbox.path("state"))"), "\(lines)")
      let piped = try await Program.run(["config", "show"], in: sandbox)
      #expect(piped.lines.first?.hasPrefix("SETTING") == true && !piped.out.contains("…"))
    }
  }

  private struct Description: Decodable {
    struct Command: Decodable {
      struct Argument: Decodable {
        struct Name: Decodable {
          let kind: String
          let name: String
        }
        let kind: String
        let names: [Name]?
      }
      let commandName: String
      let subcommands: [Command]?
      let arguments: [Argument]?
    }
    let command: Command
  }

  /// Whoever adds an option to `run` adds its key.
  @Test func everyOptionOfRunHasAKey() async throws {
    let told = try await Program.run("--experimental-dump-help")
    let root = try JSONDecoder().decode(Description.self, from: Data(told.out.utf8)).command
    let run = try #require(root.subcommands?.first { $0.commandName == "run" })
    let options = Set((run.arguments ?? []).compactMap { $0.names?.first { $0.kind == "long" }?.name })
    #expect(options.contains("adapter"))
    let page = try String(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../docs/reference/configuration.md"), encoding: .utf8)
    for option in options.subtracting(["help", "version", "config", "quiet", "verbose"]) {
      #expect(page.contains("`--\(option)`"), "docs/reference/configuration.md has no key for --\(option)")
    }
  }
}
