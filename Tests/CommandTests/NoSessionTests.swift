import Foundation
import TestSupport
import Testing

/// What works without a session, and what is refused.
@Suite(.timeLimit(.minutes(60))) struct NoSessionTests {
  @Test(
    "nothing is submitted without a session",
    arguments: [
      ["submit", "--type", "weight", "--value", "body_weight=70.5 kg"],
      ["submit", "image", "0b0c7d5e-2a53-4f0e-9a77-6a2f5e3f2b10", "display.png"],
    ])
  func submissions(_ arguments: [String]) async throws {
    try await Sandbox.with { sandbox in
      let pixel =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
      try #require(Data(base64Encoded: pixel)).write(to: URL(filePath: sandbox.path("display.png")))
      let refused = try await Program.run(
        arguments + ["--json"], in: sandbox, environment: ["METERHOST_LOG": "core=warning"])
      #expect(refused.status == 1 && refused.out.isEmpty)
      #expect(try refused.jsonError()["code"] as? String == "no_session", "\(refused.err)")
      #expect(refused.err.contains("warning core: a submission was refused: there is no session"), "\(refused.err)")
      for list in [["queue", "list"], ["queue", "list", "--default-user"], ["queue", "images"]] {
        #expect(try await Program.run(list + ["--json"], in: sandbox).out.isEmpty)
      }
    }
  }

  @Test("what belongs to the gateway is done without a session, with a warning", arguments: [0, 1, 2])
  func ofTheGateway(_ index: Int) async throws {
    try await Sandbox.with { sandbox in
      let meter = "5b0c8e2e-91b4-8d4c-a1f0-3c2f6f0f7a11"
      let commands: [(arguments: [String], words: String)] = [
        (["key", "set", "10500", "meter-key", "--meter", meter], "the key is stored for this gateway"),
        (["passive", "set", "1000"], "meters are not read passively until one begins"),
        (["pair", "1000", "--timeout", "0.1"], "the meter is paired with this gateway, and assigned to nobody"),
      ]
      let (arguments, words) = commands[index]
      let done = try await Program.run(
        arguments, in: sandbox, input: Array("8f1d2c3b4a5968778695a4b3c2d1e0f0".utf8),
        environment: ["METERHOST_LOG": "core=warning"])
      #expect(done.status == (index == 2 ? 75 : 0), "\(done.err)")
      #expect(done.err.contains("there is no session") && done.err.contains(words), "\(done.err)")
      #expect(done.err.contains("warning core: there is no session: "), "\(done.err)")
      try await Program.startSession(in: sandbox)
      let with = try await Program.run(
        arguments, in: sandbox, input: Array("8f1d2c3b4a5968778695a4b3c2d1e0f0".utf8),
        environment: ["METERHOST_LOG": "core=warning"])
      #expect(!with.err.contains("there is no session"), "\(with.err)")
    }
  }

  @Test("a slot without a session is refused, and not dropped", arguments: ["read", "pair"])
  func slot(command: String) async throws {
    try await Sandbox.with { sandbox in
      let done = try await Program.run([command, "5000", "--slot", "1", "--timeout", "1", "--json"], in: sandbox)
      #expect(done.status == 1)
      #expect(try done.jsonError()["code"] as? String == "no_user", "\(done.err)")
    }
  }

  @Test("an allow-list without a meter allows none; a part of a type's name is one")
  func words() async throws {
    try await Sandbox.with { sandbox in
      let none = try await Program.run(["read", "1000", "--allow", "", "--timeout", "5", "--json"], in: sandbox)
      #expect(none.status == 75)
      #expect((try none.jsonError()["message"] as? String)?.contains("the allow-list is empty") == true, "\(none.err)")
      #expect(try await Program.run(["read", "1000", "--allow", "x"], in: sandbox).status == 64)
      for (word, type) in [
        ("scale", "weight_scale"), ("weight-scale", "weight_scale"), ("pressure", "blood_pressure"),
        ("Oximeter", "pulse_oximeter"), ("glucose", "glucose_meter"),
      ] {
        let listed = try await Program.run(["peripherals", "list", "--type", word, "--json"], in: sandbox).objects()
        #expect(!listed.isEmpty && listed.allSatisfy { $0["type"] as? String == type }, "\(word)")
      }
      // Several types have it in their names, or none has.
      for word in ["meter", "me", "x-ray", ""] {
        #expect(try await Program.run(["peripherals", "list", "--type", word], in: sandbox).status == 64)
      }
    }
  }

  @Test func whatWasReadWithoutASessionStaysVisible() async throws {
    try await Sandbox.with { sandbox in
      let file = try Installation.shared().meters.appending(path: "contour-next-one.json").path
      let meter = try Program(["meter", "run", file], in: sandbox)
      try await meter.line(with: "advertising")
      let read = try await Program.run(["read", "1000", "--history", "--json"], in: sandbox)
      #expect(read.status == 0, "\(read.err)")
      meter.interrupt()
      _ = await meter.outcome()
      try await Program.startSession(in: sandbox)
      #expect(try await Program.run(["queue", "list", "--json"], in: sandbox).out.isEmpty, "they are not the user's")
      let listed = try await Program.run(["queue", "list", "--default-user", "--json"], in: sandbox).objects()
      #expect(listed.map { $0["reason"] as? String } == ["no_session", "no_session"])
      let next = try await Program.run(
        ["queue", "list", "--default-user", "--json", "--limit", "1", "--after", "\(listed[0]["position"] ?? 0)"],
        in: sandbox)
      #expect(try next.objects().map { $0["log_id"] as? String } == [listed[1]["log_id"] as? String])
    }
  }
}
