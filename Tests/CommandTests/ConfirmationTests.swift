import Foundation
import TestSupport
import Testing

/// The question before what nobody can undo.
@Suite(.timeLimit(.minutes(60))) struct ConfirmationTests {
  private func end(
    _ sandbox: Sandbox, _ arguments: [String], answering answer: String?
  ) async throws -> Outcome {
    let terminal = try PseudoTerminal()
    let program = try Program(
      ["session", "end"] + arguments, in: sandbox, standardInput: answer == nil ? nil : terminal.program)
    if let answer {
      try await program.line(with: "[y/N]", on: .err)
      while terminal.signals { await Task.yield() }
      try terminal.person.write(contentsOf: Data((answer + "\n").utf8))
    }
    return await program.outcome()
  }

  @Test(arguments: ["n", "", "nothing", "\u{3}"]) func withoutAYesNothingIsDone(answer: String) async throws {
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      let done = try await end(sandbox, [], answering: answer)
      #expect(done.status == 1 && done.err.contains("the session of u (o)"), "\(done.err)")
      #expect(done.err.contains("nothing was done"))
      let shown = try await Program.run(["session", "show", "--json"], in: sandbox)
      #expect(try shown.objects().first?["user"] as? String == "u")
    }
  }

  @Test(arguments: ["y", "Yes"]) func aYesIsEnough(answer: String) async throws {
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      #expect(try await end(sandbox, [], answering: answer).status == 0)
    }
  }

  /// As it always was: scripts have no terminal.
  @Test(arguments: [[], ["--yes"], ["--json"]]) func nobodyIsAskedWithoutATerminal(arguments: [String]) async throws {
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      let done = try await end(sandbox, arguments, answering: nil)
      #expect(done.status == 0 && !done.err.contains("[y/N]"))
    }
  }

  static let asking = [
    ["session", "end"], ["queue", "discard"], ["meters", "forget"], ["key", "forget"], ["sink", "remove"],
    ["session", "sink", "remove"], ["driver", "remove"], ["driver", "recordings", "remove"],
    ["driver", "trust", "revoke"],
    ["health", "vanished", "delete"], ["health", "ingest", "token", "revoke"], ["api", "delete"],
  ]

  @Test(arguments: asking) func theHelpSaysThatAndHowNotTo(command: [String]) async throws {
    let done = try await Sandbox.with { try await Program.run(command + ["--help"], in: $0) }
    #expect(done.out.contains("--yes") && done.out.contains("Without a terminal"))
  }
}

/// What a shell offers, and what a person may write in its place.
@Suite(.timeLimit(.minutes(60))) struct ChoosingTests {
  @Test func aReadingIsMeantByTheBeginningOfItsId() async throws {
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      let submitted = try await Program.run(
        [
          "submit", "record", "--type", "weight", "--value", "body_weight=70 kg", "--time", "2026-03-01T08:00Z",
          "--json",
        ],
        in: sandbox)
      let logID = try #require(try submitted.objects().first?["log_id"] as? String, "\(submitted.err)")
      let shown = try await Program.run(["queue", "show", String(logID.prefix(8)), "--json"], in: sandbox)
      #expect(try shown.objects().first?["log_id"] as? String == logID, "\(shown.err)")
      let short = try await Program.run(["queue", "show", String(logID.prefix(3)), "--json"], in: sandbox)
      #expect(try short.status == 64 && short.jsonError()["code"] as? String == "bad_log_id")
    }
  }

  @Test func twoReceiversLinesAreToldApart() async throws {
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      try FileManager.default.createDirectory(atPath: sandbox.path("archive"), withIntermediateDirectories: true)
      let submit = ["submit", "--type", "weight", "--no-upload", "--value"]
      let alone = try await Program.run(submit + ["body_weight=70 kg"], in: sandbox)
      #expect(alone.out.contains("(pending)"), "\(alone.out)\(alone.err)")
      let added = try await Program.run(
        ["sink", "add", "archive", "--kind", "file", "--set", "folder=\(sandbox.path("archive"))"], in: sandbox)
      #expect(added.status == 0, "\(added.err)")
      let both = try await Program.run(submit + ["body_weight=154 lb"], in: sandbox)
      #expect(both.out.contains("inform pending") && both.out.contains("archive pending"), "\(both.out)")
      let list = try await Program.run(["queue", "list"], in: sandbox)
      #expect(list.lines.first?.split(separator: " ").contains("TO") == true, "\(list.out)")
      #expect(list.out.contains("154 lb"))
      let begun = try await Program.run(["sink", "show", "arch", "--json"], in: sandbox)
      #expect(begun.status == 0 && begun.out.contains("\"archive\""), "\(begun.err)")
    }
  }

  @Test func receiversAreOfferedAndFailureIsSilent() async throws {
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      let offered = try await Program.run(
        ["---completion", "sink", "show", "--", "positional@0", "3", "0", "meterhost", "sink", "show", ""], in: sandbox)
      #expect(
        offered.status == 0 && offered.out.contains("inform") && offered.err.isEmpty, "\(offered.out) \(offered.err)")
    }
  }
}
