import Foundation
import TestSupport
import Testing

/// `meterhost api` from its own process to the receiver's, in both wire formats.
@Suite(.timeLimit(.minutes(60))) struct APICommandTests {
  static let token = "patient-token-0123456789abcdef"
  static let formats = ["inform-v2", "legacy-v1"]

  private func receiver(_ sandbox: Sandbox) async throws -> (Program, String) {
    let accounts = try sandbox.file("accounts", "clinic:patient-1:\(Self.token)\n")
    let program = try Program(
      ["receive", "--port", "0", "--accounts", accounts, "--database", sandbox.path("r.sqlite"), "--json"], in: sandbox)
    let line = try await program.line(with: "listening")
    return (program, try #require(try Outcome.object(line)["url"] as? String))
  }

  private func start(_ sandbox: Sandbox, _ url: String, format: String) async throws {
    let done = try await Program.run(
      [
        "session", "start", "--user", "patient-1", "--organization", "clinic", "--receiver", url, "--format", format,
        "--token-file", try sandbox.file("token", Self.token),
      ], in: sandbox)
    #expect(done.status == 0, "\(done.err)")
  }

  private func glucose(_ logID: String?, _ value: Int, id: String? = nil, minute: Int = 0) -> String {
    let name = logID.map { #""log_id":"\#($0)","# } ?? ""
    let receiverID = id.map { #""id":"\#($0)","# } ?? ""
    return #"{\#(name)\#(receiverID)"type":"diabetes","time":"2026-03-01T08:0\#(minute):00Z","#
      + #""values":[{"metric":"blood_glucose","value":\#(value),"unit":"mg/dL"}]}"#
  }

  @Test(arguments: formats) func recordsAreCreatedChangedAndDeleted(format: String) async throws {
    try await Sandbox.with { sandbox in
      let (receiver, url) = try await receiver(sandbox)
      try await start(sandbox, url, format: format)
      let names = (1...3).map { "0b0c7d5e-2a53-4f0e-9a77-6a2f5e3f2b1\($0)" }
      func call(_ arguments: [String], input: String = "") async throws -> Outcome {
        try await Program.run(["api"] + arguments + ["--json"], in: sandbox, input: Array(input.utf8))
      }

      // Many, of which one is refused.
      let lines = [glucose(names[0], 101), glucose(names[1], 99_999, minute: 1), glucose(names[2], 103, minute: 2)]
      let refused = try await call(["create", "-"], input: lines.joined(separator: "\n"))
      #expect(try refused.status == 64 && refused.jsonError()["code"] as? String == "implausible", "\(refused.err)")
      let created = try await call(["create", "-"], input: [lines[0], lines[2]].joined(separator: "\n"))
      #expect(created.status == 0, "\(created.err)")
      let stored = try created.objects()
      #expect(stored.map { $0["log_id"] as? String } == [names[0], names[2]])
      #expect(stored.allSatisfy { $0["new"] as? Bool == true && $0["revision"] as? Int == 1 })
      let id = try #require(stored[0]["record_id"] as? String)

      // Something else under a name of one, beside one that is new.
      let mixed = try await call(
        ["create", "-"], input: "[\(glucose(names[0], 111)),\(glucose(names[1], 102, minute: 1))]")
      #expect(try mixed.status == 1 && mixed.jsonError()["code"] as? String == "invalid_records", "\(mixed.err)")
      let outcomes = try mixed.objects()
      #expect((outcomes[0]["error"] as? [String: Any])?["code"] as? String == "conflict")
      #expect(outcomes[1]["new"] as? Bool == true && outcomes[1]["error"] == nil)

      let file = try sandbox.file("upsert.json", glucose(names[0], 111))
      let upserted = try await call(["upsert", file])
      #expect(try upserted.objects().first?["revision"] as? Int == 2, "\(upserted.err)")
      let nameless = try await call(["upsert", "-"], input: glucose(nil, 111))
      #expect(
        try nameless.status == 64 && nameless.jsonError()["code"] as? String == "missing_activity_id",
        "\(nameless.status) \(nameless.isSignalled) \(nameless.out) \(nameless.err)")

      let updated = try await call(["update", "-"], input: glucose(names[0], 121, id: id))
      #expect(try updated.objects().first?["revision"] as? Int == 3, "\(updated.err)")
      let idless = try await call(["update", "-"], input: glucose(names[0], 121))
      #expect(
        try idless.status == 64 && idless.jsonError()["code"] as? String == "missing_record_id",
        "\(idless.status) \(idless.isSignalled) \(idless.out) \(idless.err)")

      let image = sandbox.path("photo.jpg")
      try Data([0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3]).write(to: URL(filePath: image))
      let uploaded = try await call(["upload", image, "--record", id])
      #expect(try (uploaded.objects().first?["media_id"] as? String)?.isEmpty == false, "\(uploaded.err)")
      let text = try sandbox.file("text.jpg", "no image")
      #expect(try await call(["upload", text, "--record", id]).jsonError()["code"] as? String == "not_an_image")

      let deleted = try await call(["delete", "--type", "diabetes", id, "nowhere"])
      #expect(
        try deleted.status == 1 && deleted.jsonError()["code"] as? String == "invalid_records",
        "\(deleted.status) \(deleted.err)")
      #expect(try deleted.objects().map { $0["deleted"] as? Bool } == [true, nil])
      #expect(try await Program.run(["queue", "list", "--json"], in: sandbox).out.isEmpty, "the queue is not used")
      receiver.interrupt()
      _ = await receiver.outcome()
    }
  }

  @Test func withoutSessionOrReceiverNothingIsSent() async throws {
    try await Sandbox.with { sandbox in
      let file = try sandbox.file("record.json", glucose(nil, 111))
      let nobody = try await Program.run(["api", "create", file, "--json"], in: sandbox)
      #expect(try nobody.status == 1 && nobody.jsonError()["code"] as? String == "no_session", "\(nobody.err)")
      try await start(sandbox, "http://127.0.0.1:9", format: "inform-v2")
      let away = try await Program.run(["api", "create", file, "--json"], in: sandbox)
      #expect(try away.status == 75 && away.jsonError()["code"] as? String == "transport", "\(away.err)")
      let other = try await Program.run(["api", "create", file, "--sink", "research", "--json"], in: sandbox)
      #expect(try other.status == 64 && other.jsonError()["code"] as? String == "unknown_sink", "\(other.err)")
      let series = try await Program.run(["api", "delete", "--type", "nothing", "1", "--json"], in: sandbox)
      #expect(series.status == 64)
    }
  }
}
