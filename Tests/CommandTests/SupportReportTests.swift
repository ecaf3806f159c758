import Foundation
import TestSupport
import Testing

/// A support file tells what is wrong and nothing about people.
@Suite(.timeLimit(.minutes(60))) struct SupportReportTests {
  private static let token = "Tok-Secret_4711.abcdefghijkl"
  private static let user = "anna-muster-77"
  private static let organization = "klinik-nord"
  private static let key = "00112233445566778899aabbccddeeff"
  private static let meter = "5b0c8e2e-91b4-8d4c-a1f0-3c2f6f0f7a11"
  private static let name = "Anna's old meter"

  /// Puts something private everywhere, and gives all of it.
  private func plant(_ sandbox: Sandbox) async throws -> [String] {
    let started = try await Program.run(
      [
        "session", "start", "--user", Self.user, "--organization", Self.organization, "--receiver",
        "http://127.0.0.1:9/secret-path",
      ], in: sandbox, input: Array(Self.token.utf8))
    #expect(started.status == 0, "\(started.err)")
    let sink = try await Program.run(
      ["session", "sink", "add", "second-place", "--receiver", "http://127.0.0.1:7"], in: sandbox,
      input: Array("other-\(Self.token)".utf8))
    #expect(sink.status == 0, "\(sink.err)")
    let stored = try await Program.run(
      ["key", "set", "10500", "meter-key", "--meter", Self.meter], in: sandbox, input: Array(Self.key.utf8))
    #expect(stored.status == 0, "\(stored.err)")
    let file = try Installation.shared().meters.appending(path: "contour-next-one.json")
    let meter = try Program(["meter", "run", file.path], in: sandbox)
    try await meter.line(with: "advertising")
    let read = try await Program.run(
      ["read", "1000", "--history", "--trust-clock", "--json"], in: sandbox)
    #expect(read.status == 0, "\(read.err)")
    meter.interrupt()
    _ = await meter.outcome()
    let queued = try await Program.run(["queue", "list", "--json"], in: sandbox).objects()
    #expect(!queued.isEmpty)
    let names = queued.compactMap { $0["log_id"] as? String }
    let script = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
    let shown = try await Program.run(["queue", "list"], in: sandbox)
    #expect(shown.status == 0)
    let recordings = sandbox.root.appending(path: "state/recordings")
    try FileManager.default.createDirectory(at: recordings, withIntermediateDirectories: true)
    try Data("glucose 123.4 of \(Self.user)".utf8).write(
      to: recordings.appending(path: "planted-C0-FF-EE-00-11-22.mhrec"))
    let address = (script?["address"] as? String) ?? "C0:FF:EE:00:11:22"
    return names + [
      Self.token, "Tok-Secret", Self.user, Self.organization, Self.key, Self.meter, Self.name, "secret-path",
      "second-place", "127.0.0.1", address, "123.4", "C0:FF:EE", "C0-FF-EE", "anna.muster@example.org",
    ]
  }

  private func log(_ secrets: [String]) -> String {
    let lines = secrets.flatMap { secret in
      [
        "2026-11-22T09:00:00Z info core: something about \"\(secret)\" happened log_id=\(secret)",
        "2026-11-22T09:00:00Z warning bluetooth: the reading was 123.4 mg/dL user=\(secret) error=it is \(secret)",
        "2026-11-22T09:00:00Z error drivers: \(secret) says 123.4", secret,
        #"{"MESSAGE":"value 123.4","PRIORITY":"4","METERHOST_AREA":"core","METERHOST_USER":"\#(secret)"}"#,
      ]
    }
    return
      (lines + [
        "2026-11-22T09:00:00Z warning core: \(Self.token) and \(Self.user) of \(Self.organization) at http://127.0.0.1:9/secret-path",
        "2026-11-22T09:00:00Z warning core: mail to anna.muster@example.org, meter C0:FF:EE:00:11:22 (\(Self.meter))",
        "2026-11-22T09:00:00Z notice core: the driver broke its contract [rule R12]",
      ]).joined(separator: "\n")
  }

  private func check(_ sandbox: Sandbox, _ secrets: [String], _ file: String) throws {
    let text = try String(contentsOfFile: file, encoding: .utf8)
    for secret in secrets { #expect(!text.contains(secret), "\(secret)") }
    #expect(!text.contains(sandbox.root.path), "the home folder names its owner")
    let report = try Outcome.object(text)
    let state = try #require(report["state"] as? [String: Any])
    #expect(state["session"] as? Bool == true && state["sinks"] as? Int == 1 && state["credentials"] as? Int == 1)
    #expect((state["queue"] as? [String: Int])?.values.reduce(0, +) ?? 0 > 0)
    #expect((state["events"] as? [String: Int])?["session_started"] == 1)
    #expect(
      (report["drivers"] as? [[String: Any]])?.contains { $0["id"] as? String == "org.meterhost.glucose" } == true)
    #expect((report["findings"] as? [[String: Any]])?.contains { $0["check"] as? String == "confinement" } == true)
    #expect(report["recordings"] as? [String] == ["planted-[address].mhrec"])
    #expect(report["meters"] == nil)
    // What helps is still there.
    let lines = try #require(report["log"] as? [String])
    #expect(lines.contains("2026-11-22T09:00:00Z notice core: the driver broke its contract [rule R12]"))
    #expect(lines.contains { $0.contains("[fields: log_id]") })
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func nothingPrivateIsInIt() async throws {
    try await Sandbox.with { sandbox in
      let secrets = try await plant(sandbox)
      let log = try sandbox.file("log", log(secrets))
      let done = try await Program.run(
        ["doctor", "--report", sandbox.path("report.json"), "--log", log], in: sandbox)
      #expect(done.status == 0, "\(done.out)\(done.err)")
      try check(sandbox, secrets, sandbox.path("report.json"))
      // A file that is there is not overwritten.
      let again = try await Program.run(["doctor", "--report", sandbox.path("report.json"), "--json"], in: sandbox)
      #expect(again.status == 64)
      #expect(try again.jsonError()["code"] as? String == "report_file")
    }
  }

  @Test func pairedMetersAreInItOnlyWhenTheyAreAskedFor() async throws {
    try await Sandbox.with { sandbox in
      let meter = try await KeyedMeterFixture.startMeter(in: sandbox)
      let fixture = KeyedMeterFixture(sandbox: sandbox, meter: meter)
      let stored = try await fixture.set(KeyedMeterFixture.licenceName, KeyedMeterFixture.licence)
      #expect(stored.status == 0, "\(stored.err)")
      let paired = try await fixture.pair([KeyedMeterFixture.passkey, KeyedMeterFixture.key])
      #expect(paired.status == 0, "\(paired.err)")
      meter.interrupt()
      _ = await meter.outcome()
      let shown = try #require(try await fixture.run(["meters", "list", "--json"]).objects().first)
      let (name, uuid) = (try #require(shown["name"] as? String), try #require(shown["uuid"] as? String))
      let address = try #require(shown["address"] as? String)
      // Without its colons an address is a word; the name as it stands, and in other letters.
      let message = "\(name) or \(name.lowercased()) at \(address) or \(address.filter { $0 != ":" }), \(uuid)"
      let log = try sandbox.file("log", "2026-11-22T09:00:00Z warning core: lost \(message)")
      let plain = sandbox.path("plain.json")
      let done = try await Program.run(["doctor", "--report", plain, "--log", log], in: sandbox)
      #expect(done.status == 0, "\(done.out)\(done.err)")
      let text = try String(contentsOfFile: plain, encoding: .utf8)
      for secret in [name, name.lowercased(), address, address.filter { $0 != ":" }, uuid] {
        #expect(!text.contains(secret), "\(secret)")
      }
      // As a whole, not by its digits.
      #expect(try (Outcome.object(text)["log"] as? [String])?.first?.contains("lost [private] or [private] at") == true)
      let full = sandbox.path("full.json")
      #expect(
        try await Program.run(["doctor", "--report", full, "--with-meters", "--log", log], in: sandbox).status == 0)
      let report = try Outcome.object(try String(contentsOfFile: full, encoding: .utf8))
      let meters = try #require(report["meters"] as? [[String: Any]])
      #expect(meters.map { $0["uuid"] as? String } == [uuid] && meters.first?["name"] as? String == name)
      let lines = try #require(report["log"] as? [String])
      #expect(!lines.contains { $0.contains(uuid) || $0.contains(address) })
    }
  }

  @Test func aRunningServiceIsAskedAndTellsNothingMore() async throws {
    try await Sandbox.with { sandbox in
      let secrets = try await plant(sandbox)
      let log = try sandbox.file("log", log(secrets))
      let service = try Program(["run", "--json"], in: sandbox)
      try await service.line(with: #""event":"running""#)
      let done = try await Program.run(
        ["doctor", "--report", sandbox.path("report.json"), "--log", log], in: sandbox)
      #expect(done.status == 0, "\(done.out)\(done.err)")
      try check(sandbox, secrets, sandbox.path("report.json"))
      service.interrupt()
      #expect(await service.outcome().status == 0)
    }
  }
}
