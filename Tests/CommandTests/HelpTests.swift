import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct HelpTests {
  static let groups = [
    "peripherals", "meter", "driver", "queue", "session", "api", "meters", "feedback", "passive", "snap", "health",
    "console",
    "backup",
    "config",
    "fhir",
  ]
  static let commands = [
    ["peripherals", "list"], ["peripherals", "show"], ["scan"], ["read"], ["meter", "run"], ["driver", "list"],
    ["driver", "pack"], ["driver", "sign"], ["driver", "index"], ["driver", "source", "add"],
    ["driver", "source", "list"], ["driver", "source", "remove"], ["driver", "install"], ["driver", "update"],
    ["driver", "rollback"],
    ["driver", "enable"], ["driver", "disable"], ["driver", "remove"], ["driver", "trust", "add"],
    ["driver", "trust", "revoke"], ["driver", "trust", "floor"], ["driver", "trust", "policy"],
    ["driver", "key", "make"], ["driver", "show"], ["driver", "why"], ["driver", "verify"], ["driver", "decode"],
    ["driver", "call"],
    ["driver", "new"], ["driver", "fuzz"],
    ["queue", "list"],
    ["queue", "show"], ["queue", "held"], ["queue", "dead"], ["queue", "images"], ["queue", "confirm"],
    ["queue", "resubmit"],
    ["queue", "discard"], ["queue", "pause"], ["queue", "resume"], ["queue", "flush"], ["queue", "limits"],
    ["session", "start"], ["session", "show"], ["session", "end"], ["session", "recover"],
    ["api", "create"], ["api", "update"], ["api", "upsert"], ["api", "delete"], ["api", "upload"],
    ["session", "sink", "add"], ["session", "sink", "list"], ["session", "sink", "remove"], ["receive"], ["fleet"],
    ["demo"],
    ["doctor"], ["completions"], ["meters", "list"], ["meters", "set"], ["meters", "assign"], ["meters", "forget"],
    ["snap", "list"], ["snap", "show"], ["snap", "cameras"], ["snap", "read"], ["snap", "bench"], ["snap", "view"],
    ["feedback", "show"], ["feedback", "set"], ["feedback", "off"], ["feedback", "test"], ["health", "import"],
    ["health", "history"], ["health", "subscribe", "list"], ["health", "subscribe", "set"],
    ["health", "subscribe", "off"], ["health", "sources", "list"], ["health", "sources", "order"],
    ["health", "sources", "off"], ["health", "sources", "on"],
    ["health", "vanished", "list"], ["health", "vanished", "delete"],
    ["health", "watch", "list"], ["health", "watch", "add"], ["health", "watch", "remove"],
    ["health", "ingest", "show"],
    ["health", "ingest", "listen"], ["health", "ingest", "token", "new"], ["health", "ingest", "token", "list"],
    ["health", "ingest", "token", "revoke"], ["health", "fetch-latest"],
    ["metrics"], ["fhir", "export"],
    ["backup", "make"], ["backup", "verify"], ["backup", "show"], ["restore"],
    ["config", "check"], ["config", "show"], ["setup"],
    ["console", "link"], ["console", "password"],
  ]

  @Test(arguments: commands)
  func everyCommandHasHelpWithAnExample(command: [String]) async throws {
    let done = try await Sandbox.with { try await Program.run(command + ["--help"], in: $0) }
    #expect(done.status == 0 && done.err.isEmpty)
    #expect(done.out.contains("USAGE: meterhost \(command.joined(separator: " "))"))
    #expect(done.out.contains("EXAMPLE"))
    #expect(done.out.contains("meterhost \(command.joined(separator: " "))"))
    #expect(command == ["completions"] || done.out.contains("--json"))
    #expect(!done.out.contains("\u{1B}"))
  }

  @Test(arguments: groups)
  func everyGroupListsItsCommands(group: String) async throws {
    let done = try await Program.run(group, "--help")
    #expect(done.status == 0)
    for command in Self.commands where command.count == 2 && command[0] == group {
      #expect(done.out.contains("  \(command[1])"))
    }
  }

  @Test func theProgramItselfExplainsStatusesAndEnvironment() async throws {
    for arguments in [[], ["--help"]] {
      let done = try await Sandbox.with { try await Program.run(arguments, in: $0) }
      #expect(done.status == 0)
      for text in ["EXIT STATUS", "130", "METERHOST_STATE", "demo", "doctor"] { #expect(done.out.contains(text)) }
    }
  }

  @Test func theVersionNamesTheContract() async throws {
    let done = try await Program.run("--version")
    #expect(done.status == 0)
    #expect(done.out.contains("driver contract"))
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func completionsAreScriptsThatKnowTheCommands(shell: String) async throws {
    let done = try await Program.run("completions", shell)
    #expect(done.status == 0)
    #expect(done.out.contains("peripherals") && done.out.contains("meterhost"))
    guard shell == "bash" else { return }
    try await Sandbox.with { sandbox in
      let script = try sandbox.file("completion", done.out)
      let read = try await onOwnThread { try ChildProcess.run(URL(filePath: "/bin/bash"), ["-n", script]) }
      #expect(read.status == 0, "\(read.err)")
    }
  }

  static let wrong = [
    ["--bogus"], ["nothing"], ["completions", "tcsh"], ["peripherals", "list", "--type", "x"],
    ["peripherals", "show", "abc"], ["read"], ["read", "1000", "--timeout", "0"],
    ["queue", "list", "--limit", "0"], ["queue", "list", "--only", "lost"], ["queue", "held", "--after", "-1"],
    ["queue", "discard"], ["receive"], ["session", "start"], ["meter", "run"], ["scan", "--timeout", "0"],
    ["scan", "--all", "--type", "thermometer"], ["scan", "--type", "x"],
    ["queue", "discard"], ["receive"], ["session", "start"], ["meter", "run"], ["meters", "set", "x"],
    ["fhir", "export", "--patient", "Patient/1"], ["fhir", "export", "x"],
    ["fhir", "export", "--patient", "Patient/1", "--from", "yesterday", "x"],
    ["meters", "set", "x", "--hold-off", "0"], ["meters", "set", "x", "--hold-off", "16"],
    ["meters", "set", "x", "--peripheral", "scale"], ["meters", "assign", "x", "--nobody", "--history"],
    ["meters", "set", "x", "--sync-clock", "perhaps"], ["meters", "forget"], ["feedback", "set"],
    ["feedback", "set", "--hook", "/bin/true 'x"], ["feedback", "set", "--hook", " "],
    ["feedback", "set", "--hook", "/bin/true", "--no-hook"],
  ]

  @Test(arguments: wrong)
  func aWrongCommandLineIsStatus64OnStandardError(arguments: [String]) async throws {
    try await Sandbox.with { sandbox in
      let text = try await Program.run(arguments, in: sandbox)
      #expect(text.status == 64)
      #expect(text.out.isEmpty && text.err.hasPrefix("error: ") && text.errorLines.count == 2)
      #expect(text.errorLines.last?.hasPrefix("hint: ") == true && text.err.contains("--help`"))
      #expect(!text.err.contains("\u{1B}"))
      let json = try await Program.run(arguments + ["--json"], in: sandbox)
      #expect(json.status == 64 && json.out.isEmpty && json.errorLines.count == 1)
      let error = try json.jsonError()
      #expect(error["code"] as? String == "usage")
      #expect((error["message"] as? String)?.isEmpty == false)
    }
  }
}

/// How the program talks to a person.
@Suite(.timeLimit(.minutes(60))) struct HelpFormTests {
  @Test(
    arguments: [
      (["quee", "list"], "did you mean `meterhost queue`?"),
      (["queue", "lst"], "did you mean `meterhost queue list`?"),
      (["queue", "list", "--limt", "3"], "did you mean '--limit'?"),
      (["scan", "--type", "x"], "it is one of none, thermometer"),
      (["read"], "<peripheral>: The peripheral's id in the catalogue; see `meterhost read --help`"),
      (["driver", "recordings", "exprt", "x"], "did you mean `meterhost driver recordings export`?"),
      (["health", "ingest", "token", "nwe", "x"], "did you mean `meterhost health ingest token new`?"),
      (["help", "quee"], "did you mean `meterhost queue`?"),
      (["help", "driver", "trust", "polcy"], "did you mean `meterhost driver trust policy`?"),
    ] as [([String], String)])
  func aMistypedWordIsAnsweredByTheOneThatWasMeant(arguments: [String], hint: String) async throws {
    let done = try await Sandbox.with { try await Program.run(arguments, in: $0) }
    #expect(done.status == 64 && done.errorLines.count == 2)
    #expect(done.errorLines.last?.contains(hint) == true, "\(done.err)")
  }

  /// Two examples have one word that is longer than a line.
  @Test(arguments: HelpTests.commands + HelpTests.groups.map { [$0] } + [[]])
  func helpFitsEightyColumns(command: [String]) async throws {
    let done = try await Sandbox.with { try await Program.run(command + ["--help"], in: $0) }
    for line in done.lines where line.count > 80 {
      #expect(line.split(separator: " ").contains { $0.count > 60 }, "\(line)")
    }
    #expect(!done.out.contains("-i-d"), "a name is mangled")
  }

  @Test func quietSaysNothingAndVerboseLogs() async throws {
    let scan = ["scan", "--timeout", "0.1"]
    let usual = try await Sandbox.with { try await Program.run(scan, in: $0) }
    #expect(usual.err.contains("listening"))
    let quiet = try await Sandbox.with { try await Program.run(scan + ["-q"], in: $0) }
    #expect(quiet.status == usual.status && !quiet.err.contains("listening"))
    let both = try await Sandbox.with { try await Program.run(scan + ["-q", "-v"], in: $0) }
    #expect(both.status == 64 && both.err.contains("exclude each other"))
  }
}
