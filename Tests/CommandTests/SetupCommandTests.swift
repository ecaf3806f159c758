import Foundation
import TestSupport
import Testing

/// `meterhost setup` without a person, and with one, beside a virtual meter.
@Suite(.timeLimit(.minutes(60))) struct SetupCommandTests {
  private func thermometer(_ sandbox: Sandbox) async throws -> Program {
    let file = try Installation.shared().meters.appending(path: "pyle-thermometer.json").path
    let meter = try Program(["meter", "run", file], in: sandbox)
    try await meter.line(with: "advertising")
    return meter
  }

  private func answers(_ sandbox: Sandbox, reads: Bool) throws -> String {
    try sandbox.file(
      "answers.toml",
      """
      [session]
      user = "anna"
      organization = "home"
      destination = "folder"
      folder = "\(sandbox.path("readings"))"
      [meter]
      read = \(reads)
      peripheral = "1"
      [passive]
      on = false
      """)
  }

  @Test func aFileOfAnswersLeadsToTheFirstReadingAndAgainToNothingNew() async throws {
    try await Sandbox.with { sandbox in
      try FileManager.default.createDirectory(atPath: sandbox.path("readings"), withIntermediateDirectories: true)
      let meter = try await thermometer(sandbox)
      // The meter forgets what it has told: the second time there is nothing to read.
      for isFirst in [true, false] {
        let file = try answers(sandbox, reads: isFirst)
        let done = try await Program.run(
          ["setup", "--answers", file, "--yes", "--timeout", "2", "--json"], in: sandbox)
        #expect(done.status == 0, "\(done.err)")
        let steps = try #require(try done.objects().last?["steps"] as? [String])
        #expect(steps.first == (isFirst ? "a session of anna has begun" : "the session goes on"))
        #expect(steps.contains { $0.hasSuffix("was read") } == isFirst, "\(steps)")
      }
      let session = try await Program.run(["session", "show", "--json"], in: sandbox)
      #expect(try session.objects().first?["kind"] as? String == "file")
      meter.interrupt()
      #expect(await meter.outcome().status == 0)
    }
  }

  @Test func whatHasNoAnswerIsNamed() async throws {
    try await Sandbox.with { sandbox in
      let file = try sandbox.file("answers.json", #"{"session":{"user":"anna"}}"#)
      let done = try await Program.run(["setup", "--answers", file, "--json"], in: sandbox)
      #expect(try done.status == 64 && done.jsonError()["code"] as? String == "answer_missing")
      #expect((try done.jsonError()["message"] as? String)?.hasPrefix("session.organization") == true)
    }
  }

  @Test func aRefusedSessionEndsASetupWithoutAPerson() async throws {
    try await Sandbox.with { sandbox in
      let file = try sandbox.file(
        "answers.toml",
        "[session]\nuser = \"anna\"\ndestination = \"receiver\"\nreceiver = \"http://receiver.example\"\ntoken_file = \"\(sandbox.path("t"))\"\n"
      )
      _ = try sandbox.file("t", "token-of-this-user-1\n")
      let done = try await Program.run(["setup", "--answers", file, "--yes", "--json"], in: sandbox)
      #expect(done.status != 0 && !done.out.contains("has begun"))
      #expect(!(done.out + done.err).contains("token-of-this-user-1"))
    }
  }

  @Test func aPersonIsAskedOneQuestionAtATimeAndMayBreakOff() async throws {
    try await Sandbox.with { sandbox in
      let terminal = try PseudoTerminal()
      let program = try Program(["setup"], in: sandbox, standardInput: terminal.program)
      try await program.line(with: "Whose readings", on: .err)
      try terminal.person.write(contentsOf: Data("anna\n".utf8))
      try await program.line(with: "organisation", on: .err)
      while terminal.signals { await Task.yield() }
      try terminal.person.write(contentsOf: Data([0x03]))
      let done = await program.outcome()
      #expect(done.status == 130 && done.err.contains("goes on with what is there"), "\(done.err)")
      #expect(terminal.echoes)
    }
  }
}
