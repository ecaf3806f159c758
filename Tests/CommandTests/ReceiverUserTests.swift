import Foundation
import TestSupport
import Testing

@Suite("Users of a receiver, by command", .timeLimit(.minutes(60))) struct ReceiverUserTests {
  /// Uploads a reading with a token. Returns the status of the answer.
  private func upload(_ number: Int, _ token: String, to url: String, by program: ReceiverProgram) async throws
    -> String
  {
    try await program.curl(
      "--output", program.sandbox.path("answer"), "--write-out", "%{http_code}", "--header",
      "Authorization: Bearer \(token)",
      "--header", "Content-Type: application/json", "--data", SentMeasurement.json(number),
      "\(url)/connect/provider/data/measurements"
    ).out
  }

  @Test("who is made, suspended, given another token and removed while the receiver runs is treated so")
  func lives() async throws {
    try await Sandbox.with { sandbox in
      let program = ReceiverProgram(sandbox)
      let tokens = try await program.makeUser()
      #expect(
        tokens.user.utf8.count == 64 && tokens.organization.utf8.count == 64 && tokens.user != tokens.organization)
      let (receiver, url) = try await program.serve()
      #expect(try await upload(1, tokens.user, to: url, by: program) == "201")
      let suspended = try await program.run("user", "suspend", "clinic", "anna", "--json")
      #expect(try suspended.objects().first?["status"] as? String == "suspended")
      #expect(try await upload(2, tokens.user, to: url, by: program) == "401")
      #expect(try await program.run("user", "resume", "clinic", "anna").status == 0)
      #expect(try await upload(2, tokens.user, to: url, by: program) == "201")
      let fresh = try await program.run("user", "token", "clinic", "anna", "--json")
      let other = try #require(try fresh.objects().first?["token"] as? String)
      #expect(try await upload(3, tokens.user, to: url, by: program) == "401")
      #expect(try await upload(3, other, to: url, by: program) == "201")
      let listed = try await program.run("user", "list", "--json").objects()
      #expect(listed.count == 1 && listed.first?["readings"] as? Int == 3)
      #expect(listed.first?["token"] == nil, "a token is told when it is made, and never again")
      #expect(try await program.run("user", "list").out.contains("clinic        anna  active  3"))
      let removed = try await program.run("user", "remove", "clinic", "anna", "--with-readings", "--yes", "--json")
      #expect(try removed.objects().first?["readings"] as? Int == 3)
      #expect(try await upload(4, other, to: url, by: program) == "401")
      #expect(try await program.run("organization", "list", "--json").objects().first?["users"] as? Int == 0)
      receiver.interrupt()
      #expect(await receiver.outcome().status == 0)
    }
  }

  @Test("a user with readings is not removed without them, and nobody is removed unasked")
  func removal() async throws {
    try await Sandbox.with { sandbox in
      let program = ReceiverProgram(sandbox)
      let tokens = try await program.makeUser()
      let unasked = try await program.run("user", "remove", "clinic", "anna", "--json")
      #expect(unasked.status == 64)
      #expect(try unasked.jsonError()["code"] as? String == "not_confirmed")
      let (receiver, url) = try await program.serve()
      #expect(try await upload(1, tokens.user, to: url, by: program) == "201")
      receiver.interrupt()
      _ = await receiver.outcome()
      let kept = try await program.run("user", "remove", "clinic", "anna", "--yes", "--json")
      #expect(kept.status == 1)
      #expect(try kept.jsonError()["code"] as? String == "has_readings")
      #expect((try kept.jsonError()["hint"] as? String)?.contains("--with-readings") == true)
      #expect(try await program.run("user", "list", "--json").objects().first?["readings"] as? Int == 1)
    }
  }

  @Test("a person at a terminal is asked, and only a yes removes", arguments: ["n\n", "\n", "y\n"])
  func question(answer: String) async throws {
    try await Sandbox.with { sandbox in
      let program = ReceiverProgram(sandbox)
      _ = try await program.makeUser()
      let terminal = try PseudoTerminal()
      // Standard error is the terminal, too, as where a person sits.
      let words = try Installation.shared().receiver.path
      let asked = try Program(
        ["-c", "exec \"$@\" 2>&0", "sh", words, "user", "remove", "clinic", "anna", "--database", program.database],
        in: sandbox, standardInput: terminal.program, program: URL(filePath: "/bin/sh"))
      try terminal.person.write(contentsOf: Data(answer.utf8))
      let done = await asked.outcome()
      #expect(done.status == (answer == "y\n" ? 0 : 130))
      #expect(terminal.screen().contains("Delete anna of clinic and 0 stored readings, for good?"))
      #expect(try await program.run("user", "list", "--json").lines.isEmpty == (answer == "y\n"))
    }
  }

  static let failures: [(arguments: [String], status: Int32, code: String)] = [
    (["user", "add", "nowhere", "bert"], 1, "not_found"), (["user", "add", "clinic", "anna"], 1, "already_exists"),
    (["user", "add", "clinic", "a b"], 64, "invalid_identifier"),
    (["user", "token", "clinic", "bert"], 1, "not_found"),
    (["user", "suspend", "clinic", "bert"], 1, "not_found"), (["user", "resume", "nowhere", "anna"], 1, "not_found"),
    (["user", "remove", "clinic", "bert", "--yes"], 1, "not_found"),
    (["user", "list", "--organization", "nowhere"], 1, "not_found"),
    (["organization", "add", "clinic"], 1, "already_exists"),
    (["organization", "add", "a/b"], 64, "invalid_identifier"),
    (["organization", "token", "nowhere"], 1, "not_found"),
  ]

  @Test("what cannot be has a status, a code and a message, and changes nothing") func refusals() async throws {
    try await Sandbox.with { sandbox in
      let program = ReceiverProgram(sandbox)
      _ = try await program.makeUser()
      for (arguments, status, code) in Self.failures {
        let done = try await program.run(arguments + ["--database", program.database, "--json"])
        #expect(done.status == status && done.out.isEmpty, "\(arguments) \(done)")
        #expect(try done.jsonError()["code"] as? String == code, "\(arguments) \(done.err)")
        let text = try await program.run(arguments + ["--database", program.database])
        #expect(text.status == status && text.err.hasPrefix("error: "), "\(arguments) \(text.err)")
      }
      #expect(try await program.run("user", "list", "--json").objects().count == 1)
      #expect(try await program.run("organization", "list", "--json").objects().count == 1)
    }
  }

  @Test("a command that looks makes no database at a path with a typing mistake") func typingMistake() async throws {
    try await Sandbox.with { sandbox in
      let program = ReceiverProgram(sandbox, database: sandbox.path("reciever.sqlite"))
      for words in [["user", "list"], ["user", "add", "clinic", "anna"], ["organization", "list"]] {
        let done = try await program.run(words + ["--database", program.database, "--json"])
        #expect(done.status == 64)
        #expect(try done.jsonError()["code"] as? String == "no_database")
      }
      #expect(!FileManager.default.fileExists(atPath: program.database))
    }
  }

  @Test("a token is not made where it could not be shown") func lostToken() async throws {
    try await Sandbox.with { sandbox in
      let program = ReceiverProgram(sandbox)
      _ = try await program.makeUser()
      let pipe = Pipe()
      try pipe.fileHandleForReading.close()
      let done = try await Program(
        ["user", "add", "clinic", "bert", "--database", program.database, "--json"], in: sandbox,
        output: pipe.fileHandleForWriting, program: try Installation.shared().receiver
      ).outcome()
      #expect(done.status == 69)
      #expect(try done.jsonError()["code"] as? String == "output_closed")
      #expect(try await program.run("user", "list", "--json").objects().count == 1)
    }
  }

  static let commands = [
    ["serve"], ["user", "list"], ["user", "add"], ["user", "token"], ["user", "suspend"], ["user", "resume"],
    ["user", "remove"], ["organization", "list"], ["organization", "add"], ["organization", "token"],
  ]

  @Test("every command has help with an example", arguments: commands) func help(command: [String]) async throws {
    let done = try await Sandbox.with { try await ReceiverProgram($0).run(command + ["--help"]) }
    #expect(done.status == 0 && done.err.isEmpty)
    #expect(done.out.contains("USAGE: meterhost-receiver \(command.joined(separator: " "))"))
    #expect(done.out.contains("EXAMPLE") && done.out.contains("--json"))
  }

  @Test("the database is that of the option, the file, the environment, the credential or the service's folder")
  func places() async throws {
    try await Sandbox.with { sandbox in
      let program = ReceiverProgram(sandbox)
      for name in ["a", "b", "c"] {
        let made = try await program.run(["organization", "add", name, "--database", sandbox.path("\(name).sqlite")])
        #expect(made.status == 0, "\(made.err)")
      }
      func listed(_ options: [String], _ environment: [String: String]) async throws -> String? {
        let done = try await program.run(["organization", "list", "--json"] + options, environment: environment)
        return try done.objects().first?["organization"] as? String
      }
      let file = try sandbox.file("address", "# the database\n\(sandbox.path("b.sqlite"))\n")
      try FileManager.default.createDirectory(atPath: sandbox.path("credentials"), withIntermediateDirectories: false)
      _ = try sandbox.file("credentials/meterhost-receiver.database", sandbox.path("c.sqlite"))
      let all = [
        "METERHOST_RECEIVER_DATABASE": sandbox.path("a.sqlite"), "METERHOST_RECEIVER_DATABASE_FILE": file,
        "CREDENTIALS_DIRECTORY": sandbox.path("credentials"), "STATE_DIRECTORY": sandbox.root.path,
      ]
      #expect(try await listed(["--database", sandbox.path("c.sqlite")], all) == "c")
      #expect(try await listed(["--database-file", file], all) == "b")
      #expect(try await listed([], all) == "a")
      #expect(try await listed([], all.filter { $0.key != "METERHOST_RECEIVER_DATABASE" }) == "b")
      #expect(try await listed([], all.filter { !$0.key.hasPrefix("METERHOST") }) == "c")
      let state = ["STATE_DIRECTORY": sandbox.root.path]
      #expect(try await program.run(["organization", "add", "d"], environment: state).status == 0)
      #expect(try await listed([], state) == "d")
      #expect(FileManager.default.fileExists(atPath: sandbox.path("receiver.sqlite")))
      let two = try sandbox.file("two", "a\nb\n")
      let refused = try await program.run(["organization", "list", "--database-file", two, "--json"])
      #expect(try refused.jsonError()["code"] as? String == "database_file")
    }
  }
}
