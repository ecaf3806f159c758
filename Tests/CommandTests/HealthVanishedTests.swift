import Foundation
import TestSupport
import Testing

/// Deletion of what later exports have no more, from the command to the receiver's database.
@Suite("The command health vanished", .timeLimit(.minutes(60))) struct HealthVanishedTests {
  /// An export with a weight on each of these days of March 2025.
  private static func export(_ days: [Int], written: String) -> String {
    let records = days.map { day in
      let at = "2025-03-\(day < 10 ? "0" : "")\(day) 07:00:00 +0100"
      return " <Record type=\"HKQuantityTypeIdentifierBodyMass\" sourceName=\"Scale\" unit=\"kg\" "
        + "creationDate=\"\(at)\" startDate=\"\(at)\" endDate=\"\(at)\" value=\"8\(day).5\"/>\n"
    }
    return "<HealthData>\n <ExportDate value=\"2025-03-\(written) 22:00:00 +0100\"/>\n"
      + records.joined() + "</HealthData>\n"
  }

  private static let first = export([1, 2, 3], written: "20")
  private static let later = export([1, 3], written: "21")

  @discardableResult
  private func take(_ text: String, _ name: String, _ sandbox: Sandbox, _ options: String...) async throws -> Outcome {
    let file = try sandbox.file(name, text)
    let done = try await Program.run(
      ["health", "import", file, "--all", "--sets", "weight", "--zone", "Europe/Berlin", "--json"] + options,
      in: sandbox)
    #expect(done.status == 0, "\(done.err)")
    return done
  }

  private func vanished(_ words: String..., in sandbox: Sandbox) async throws -> Outcome {
    try await Program.run(["health", "vanished"] + words + ["--json"], in: sandbox)
  }

  /// The log_ids that the receiver has.
  private func stored(_ sandbox: Sandbox) throws -> Set<String> {
    Set(try ReceiverRows.stored(in: sandbox).map { String($0.prefix { $0 != " " }) })
  }

  private func code(_ outcome: [String: Any]) -> String? { (outcome["error"] as? [String: Any])?["code"] as? String }

  @Test("deletes at the receiver what is named, and an export that has it again brings it as new")
  func delete() async throws {
    try await Sandbox.with { sandbox in
      let (receiver, _) = try await Program.startReceiver(in: sandbox)
      try await take(Self.first, "first.xml", sandbox)
      #expect(try stored(sandbox).count == 3)
      #expect(try await vanished(in: sandbox).out.isEmpty)
      try await take(Self.later, "later.xml", sandbox)
      #expect(try stored(sandbox).count == 3, "nothing is deleted by an import")
      let listed = try #require(try await vanished("list", in: sandbox).objects().first)
      let logID = try #require(listed["log_id"] as? String)
      #expect(listed["type"] as? String == "weight" && listed["kind"] as? String == "body_weight")
      #expect(listed["start"] as? String == "2025-03-02T06:00:00Z")
      #expect(listed["receivers"] as? [String] == ["inform"] && listed["waiting"] as? [String] == [])
      #expect(try stored(sandbox).contains(logID))

      let unknown = try await vanished("delete", "ffff", in: sandbox)
      #expect(try unknown.status == 64 && unknown.jsonError()["code"] as? String == "unknown_log_id", "\(unknown.err)")
      // The beginning of the id is enough.
      let deleted = try await vanished("delete", String(logID.prefix(8)), in: sandbox)
      #expect(deleted.status == 0, "\(deleted.err)")
      #expect(try deleted.objects().first?["deleted"] as? [String] == ["inform"])
      #expect(try stored(sandbox).count == 2 && !stored(sandbox).contains(logID))
      #expect(try await vanished("list", in: sandbox).out.isEmpty)
      let again = try await vanished("delete", logID, in: sandbox)
      #expect(try again.status == 64 && again.jsonError()["code"] as? String == "not_vanished")

      let back = try await take(Self.first, "first.xml", sandbox, "--force")
      #expect(try back.objects().last?["new"] as? [String: Int] == ["weight": 1], "\(back.out)")
      #expect(try stored(sandbox).count == 3 && stored(sandbox).contains(logID))
      receiver.interrupt()
      _ = await receiver.outcome()
    }
  }

  @Test("leaves everything as it was while the receiver is away, and counts as deleted what it has no more")
  func away() async throws {
    try await Sandbox.with { sandbox in
      let (receiver, _) = try await Program.startReceiver(in: sandbox)
      try await take(Self.first, "first.xml", sandbox)
      try await take(Self.export([1], written: "21"), "later.xml", sandbox)
      let before = try await vanished(in: sandbox).out
      #expect(before.split(separator: "\n").count == 2)
      // The owner has deleted one of them there already.
      let events = try await Program.run(["events", "--json"], in: sandbox).objects()
      let submitted = try #require(
        events.first {
          $0["event"] as? String == "record_submitted" && before.contains($0["log_id"] as? String ?? "?")
        })
      let id = try #require(submitted["receiver_id"] as? String)
      let gone = try await Program.run(["api", "delete", "--type", "weight", id, "--json"], in: sandbox)
      #expect(gone.status == 0, "\(gone.err)")

      let paused = try await Program.run(["sink", "pause", "inform"], in: sandbox)
      #expect(paused.status == 0, "\(paused.err)")
      let refused = try await vanished("delete", "--all", in: sandbox)
      #expect(try refused.status == 1 && refused.objects().map(code) == ["sink_paused", "sink_paused"])
      #expect(try refused.jsonError()["code"] as? String == "vanish_delete")
      #expect(try await vanished(in: sandbox).out == before)
      #expect(try await Program.run(["sink", "resume", "inform"], in: sandbox).status == 0)

      let deleted = try await vanished("delete", "--all", in: sandbox)
      #expect(deleted.status == 0, "\(deleted.err)")
      #expect(try deleted.objects().map { $0["deleted"] as? [String] } == [["inform"], ["inform"]])
      #expect(try stored(sandbox).count == 1)
      receiver.interrupt()
      _ = await receiver.outcome()
    }
  }

  @Test("is tried again when the receiver answers again") func unreachable() async throws {
    try await Sandbox.with { sandbox in
      let (receiver, _) = try await Program.startReceiver(in: sandbox)
      try await take(Self.first, "first.xml", sandbox)
      try await take(Self.later, "later.xml", sandbox)
      let before = try await vanished(in: sandbox).out
      receiver.interrupt()
      _ = await receiver.outcome()
      let failed = try await vanished("delete", "--all", in: sandbox)
      #expect(try failed.status == 75 && failed.jsonError()["code"] as? String == "transport", "\(failed.err)")
      #expect(try await vanished(in: sandbox).out == before && stored(sandbox).count == 3)
    }
  }

  @Test("takes back what still waits, where no receiver has it") func waiting() async throws {
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      try await take(Self.first, "first.xml", sandbox, "--no-upload")
      try await take(Self.later, "later.xml", sandbox, "--no-upload")
      let deleted = try await vanished("delete", "--all", in: sandbox)
      let outcome = try #require(try deleted.objects().first)
      #expect(deleted.status == 0 && outcome["withdrawn"] as? [String] == ["inform"], "\(deleted.err)")
      #expect(outcome["deleted"] as? [String] == [])
      #expect(try await Program.run(["queue", "list", "--json"], in: sandbox).objects().count == 2)
    }
  }

  @Test("tells of receivers that cannot delete, and leaves what no other has") func cannotDelete() async throws {
    try await Sandbox.with { sandbox in
      let started = try await Program.run(
        [
          "session", "start", "--user", "u", "--organization", "o", "--kind", "file", "--set",
          "folder=\(sandbox.path("readings"))",
        ], in: sandbox)
      try #require(started.status == 0, "\(started.err)")
      try await take(Self.first, "first.xml", sandbox)
      try await take(Self.later, "later.xml", sandbox)
      let before = try await vanished(in: sandbox).out
      let refused = try await vanished("delete", "--all", in: sandbox)
      #expect(try refused.status == 1 && refused.jsonError()["code"] as? String == "cannot_delete", "\(refused.err)")
      let kept = try refused.objects().first?["kept"] as? [[String: String]]
      #expect(kept == [["sink": "inform", "reason": "cannot_delete"]])
      #expect(try await vanished(in: sandbox).out == before)
    }
  }

  @Test(
    "says what is wrong before anything is deleted",
    arguments: [
      (["delete"], Int32(64)), (["delete", "--all", "0b0c7d5e-2a53-8f0e-9a77-6a2f5e3f2b10"], 64),
      (["delete", "soon"], 64), (["list"], 1), (["delete", "--all"], 1),
    ] as [([String], Int32)])
  func wrong(words: [String], status: Int32) async throws {
    let done = try await Sandbox.with {
      try await Program.run(["health", "vanished"] + words + ["--json"], in: $0)
    }
    #expect(done.status == status && done.out.isEmpty, "\(done.err)")
    if status == 1 { #expect(try done.jsonError()["code"] as? String == "no_session") }
  }
}
