import Foundation
import TestSupport
import Testing

/// How `meterhost sink` sets receivers up, and what it tells of them, from one process to the next.
@Suite("The command sink", .timeLimit(.minutes(60))) struct SinkCommandTests {
  private func start(_ sandbox: Sandbox, _ options: [String]) async throws -> Outcome {
    try await Program.run(
      ["session", "start", "--user", "patient-1", "--organization", "clinic", "--json"] + options, in: sandbox)
  }

  private func lines(_ sandbox: Sandbox, _ folder: String) throws -> [String] {
    let names = try FileManager.default.contentsOfDirectory(atPath: sandbox.path(folder)).sorted()
    return try names.filter { !$0.hasPrefix(".") }.flatMap { name in
      try String(contentsOfFile: sandbox.path("\(folder)/\(name)"), encoding: .utf8).split(separator: "\n").map(
        String.init)
    }
  }

  @Test("a session needs no server: its readings are lines in a folder") func fileAsOwnReceiver() async throws {
    try await Sandbox.with { sandbox in
      let started = try await start(sandbox, ["--kind", "file", "--set", "folder=\(sandbox.path("readings"))"])
      #expect(started.status == 0, "\(started.err)")
      #expect(try started.objects().first?["kind"] as? String == "file")
      let file = try Installation.shared().meters.appending(path: "contour-next-one.json").path
      let meter = try Program(["meter", "run", file], in: sandbox)
      try await meter.line(with: "advertising")
      let read = try await Program.run(["read", "1000", "--history", "--json"], in: sandbox)
      #expect(read.status == 0, "\(read.err)")
      let written = try lines(sandbox, "readings")
      #expect(written.count == 2 && written.allSatisfy { $0.contains(#""log_id""#) }, "\(written)")
      let again = try await Program.run(["read", "1000", "--history", "--json"], in: sandbox)
      #expect(again.status == 0, "\(again.err)")
      #expect(try lines(sandbox, "readings") == written, "each once")
      let shown = try #require(
        try await Program.run(["sink", "show", "inform", "--json"], in: sandbox).objects().first)
      let sink = try #require(shown["sink"] as? [String: Any])
      #expect(sink["role"] as? String == "session" && sink["token"] as? String == "none")
      #expect(shown["last_success"] is String && (shown["queue"] as? [String: Int])?.isEmpty == true, "\(shown)")
      meter.interrupt()
      _ = await meter.outcome()
    }
  }

  @Test("receivers are added, listed, tested, paused, resumed and removed") func further() async throws {
    try await Sandbox.with { sandbox in
      let folder = sandbox.path("readings")
      #expect(try await start(sandbox, ["--kind", "file", "--set", "folder=\(folder)"]).status == 0)
      let add = [
        "sink", "add", "table", "--kind", "file", "--set", "folder=\(sandbox.path("csv"))", "--set", "format=csv",
      ]
      let added = try await Program.run(add + ["--json"], in: sandbox)
      #expect(added.status == 0, "\(added.err)")
      let listed = try await Program.run(["sink", "list", "--json"], in: sandbox).objects()
      #expect(listed.map { $0["name"] as? String } == ["inform", "table"])
      #expect(listed.map { $0["kind"] as? String } == ["file", "file"])
      #expect(try await Program.run(["sink", "test", "table"], in: sandbox).status == 0)
      try FileManager.default.removeItem(atPath: sandbox.path("csv"))
      try Data().write(to: URL(filePath: sandbox.path("csv")))
      let away = try await Program.run(["sink", "test", "table", "--json"], in: sandbox)
      #expect(away.status != 0, "\(away.out)")
      let paused = try await Program.run(["sink", "pause", "table", "--json"], in: sandbox)
      #expect(try paused.objects().first?["paused"] as? Bool == true)
      #expect(try await Program.run(["sink", "list"], in: sandbox).out.contains("paused"))
      let resumed = try await Program.run(["sink", "resume", "table", "--json"], in: sandbox)
      #expect(try resumed.objects().first?["paused"] as? Bool == false)
      // By the beginning of its name, as everywhere.
      let removed = try await Program.run(["session", "sink", "remove", "tab", "--json"], in: sandbox)
      #expect(try removed.status == 0 && removed.objects().first?["name"] as? String == "table", "\(removed.err)")
      let gone = try await Program.run(["sink", "show", "table", "--json"], in: sandbox)
      #expect(try gone.status == 64 && gone.jsonError()["code"] as? String == "unknown_sink")
      let own = try await Program.run(["sink", "remove", "inform", "--json"], in: sandbox)
      #expect(try own.status != 0 && own.jsonError()["code"] as? String == "sink")
    }
  }

  @Test(
    "what only an address has is no part of a setting of --set",
    arguments: [["--rate", "2"], ["--format", "legacy-v1"]])
  func mixed(options: [String]) async throws {
    try await Sandbox.with { sandbox in
      let mixed = try await start(sandbox, ["--kind", "file", "--set", "folder=\(sandbox.path("readings"))"] + options)
      #expect(try mixed.status == 64 && mixed.jsonError()["code"] as? String == "sink_setting")
    }
  }

  @Test("every kind is listed with what its setting says") func kinds() async throws {
    try await Sandbox.with { sandbox in
      let kinds = try await Program.run(["sink", "kinds", "--json"], in: sandbox).objects()
      #expect(
        Set(kinds.compactMap { $0["kind"] as? String })
          == ["inform", "file", "fhir", "webhook", "influx", "mqtt", "nats"])
      for kind in kinds {
        #expect((kind["members"] as? [[String: Any]])?.contains { $0["required"] as? Bool == true } == true)
      }
      let text = try await Program.run(["sink", "kinds"], in: sandbox).out
      #expect(text.contains("folder *") && text.contains("jsonl|csv"))
    }
  }

  @Test(
    "what cannot be is told with its cure",
    arguments: [
      (["--kind", "pigeon"], "unknown_sink_kind"), (["--kind", "file"], "sink_setting"),
      (["--kind", "file", "--set", "folder"], "sink_setting"),
      (["--kind", "file", "--set", "folder=/tmp", "--set", "folder=/tmp"], "sink_setting"),
      (["--kind", "file", "--set", "colour=red"], "sink_setting"),
      (["--kind", "file", "--set", "folder=/x", "--set", "keep=many"], "sink_setting"),
      (["--kind", "file", "--set", "folder=/x", "--set", "format=xml"], "sink_setting"),
      (["--kind", "inform", "--set", "receiver=https://receiver.example"], "sink_credential"),
      (["--kind", "inform", "--set", "receiver=http://receiver.example"], "receiver_address"),
      (["--kind", "file", "--set", "folder=/proc/meterhost"], "missing_folder"),
      (["--kind", "file", "--address", "https://fhir.example"], "sink_setting"), (["--kind", "fhir"], "sink_setting"),
      (["--kind", "fhir", "--address", "https://fhir.example/r4", "--patient", "Patient/1"], "sink_credential"),
      (["--kind", "fhir", "--address", "https://fhir.example/r4", "--auth", "none"], "fhir_patient"),
      (["--kind", "fhir", "--address", "http://fhir.example/r4", "--auth", "none"], "receiver_address"),
      (
        ["--kind", "fhir", "--address", "http://127.0.0.1:1", "--auth", "none", "--patient", "Patient/1"],
        "fhir_unreachable"
      ),
    ])
  func refused(options: [String], code: String) async throws {
    try await Sandbox.with { sandbox in
      #expect(
        try await start(sandbox, ["--kind", "file", "--set", "folder=\(sandbox.path("readings"))"]).status == 0)
      let refused = try await Program.run(["sink", "add", "x"] + options + ["--json"], in: sandbox)
      let error = try refused.jsonError()
      #expect(error["code"] as? String == code, "\(error)")
      #expect(refused.status != 0 && (error["message"] as? String)?.isEmpty == false, "\(error)")
      #expect(try await Program.run(["sink", "list", "--json"], in: sandbox).objects().count == 1)
    }
  }
}
