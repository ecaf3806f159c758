import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct DemoCommandTests {
  /// A fault that delays every answer of a meter beyond the end of the test.
  static let stall = "\"faults\": [{ \"kind\": \"delay\", \"milliseconds\": 60000 }]"

  private func meters(_ sandbox: Sandbox, _ change: (String) -> String) throws -> String {
    let folder = sandbox.path("meters")
    try FileManager.default.copyItem(atPath: Installation.shared().meters.path, toPath: folder)
    let plan = folder + "/demo/expected-readings.json"
    try change(String(contentsOfFile: plan, encoding: .utf8)).write(toFile: plan, atomically: true, encoding: .utf8)
    return folder
  }

  @Test func theTableShowsEveryReadingOnce() async throws {
    try await Sandbox.with { sandbox in
      let done = try await Program.run(["demo"], in: sandbox)
      #expect(done.status == 0, "\(done.err)")
      #expect(done.lines.count == 19 && done.lines.first?.hasPrefix("METER") == true)
      // As people write them; UCUM and fractions of seconds are for --json.
      #expect(["mg/dL", "mmHg", "°C", "bpm", "lb"].allSatisfy { done.out.contains(" \($0) ") }, "\(done.out)")
      #expect(!["[", "Cel", "/min"].contains { done.out.contains($0) }, "\(done.out)")
      #expect(done.lines.dropFirst().allSatisfy { $0.contains(#/ \d{4}-\d\d-\d\d \d\d:\d\d:\d\d /#) }, "\(done.out)")
      #expect(done.err.contains("14 readings of 9 meters stored, each exactly once"))
      #expect(!(done.out + done.err).contains("\u{1B}"))
      // Nothing is left in the temporary folder or in the state folder.
      #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.root.path).isEmpty)
    }
  }

  @Test func jsonIsOneObjectAStoredReading() async throws {
    try await Sandbox.with { sandbox in
      let keep = sandbox.path("kept")
      let done = try await Program.run(["demo", "--json", "--keep", keep], in: sandbox)
      #expect(done.status == 0 && done.err.isEmpty)
      let readings = try done.objects()
      #expect(readings.count == 18)
      #expect(Set(readings.compactMap { $0["log_id"] as? String }).count == 14)
      for key in ["meter", "metric", "value", "unit", "time", "receiver_id", "revision"] {
        #expect(readings.allSatisfy { $0[key] != nil }, "\(key)")
      }
      let values = readings.compactMap { $0["value"] as? Double }.sorted()
      #expect(values == [0.5, 5.9, 34.11, 34.2, 36, 36.8, 51, 54, 81, 86, 104, 111, 111, 112, 118, 118, 124, 140.65])
      #expect(FileManager.default.fileExists(atPath: keep + "/receiver.sqlite"))
      let again = try await Program.run(["demo", "--json", "--keep", keep], in: sandbox)
      #expect(again.status == 64)
      #expect(try again.jsonError()["code"] as? String == "folder_not_empty")
    }
  }

  @Test(arguments: [
    ("different", "\"value\": 36.8", "\"value\": 36.9"), ("unexpected", "blood_ketone", "blood_lactate"),
    ("missing", "blood_ketone", "blood_lactate"),
  ])
  func aReadingThatIsNotAsItMustBeIsStatus1(kind: String, text: String, other: String) async throws {
    try await Sandbox.with { sandbox in
      let folder = try meters(sandbox) { $0.replacing(text, with: other) }
      let done = try await Program.run(["demo", "--json", "--meters", folder], in: sandbox)
      #expect(done.status == 1)
      #expect(try done.objects().count == 18)
      let kinds = try done.errorLines.map { try Outcome.object($0)["problem"] as? [String: Any] }.compactMap {
        $0?["kind"] as? String
      }
      #expect(kinds.contains(kind))
    }
  }

  @Test func aReadingTooManyOrTooFewIsStatus1() async throws {
    try await Sandbox.with { sandbox in
      // The same meter's memory with one record more, and one less, than the plan says.
      let folder = try meters(sandbox) { $0 }
      let script = folder + "/contour-next-one.json"
      let text = try String(contentsOfFile: script, encoding: .utf8)
      let record =
        #"{ "note": "gls-contour-50", "measurement": "133200e2070a07110b0b5cfe76b0f1", "context": "02320002" }"#
      try #require(text.contains(record))
      let twin = record.replacing("133200", with: "133300").replacing("02320002", with: "02330002")
      try text.replacing(record, with: record + "," + twin).write(toFile: script, atomically: true, encoding: .utf8)
      let more = try await Program.run(["demo", "--meters", folder], in: sandbox)
      #expect(more.status == 1 && more.err.contains("doubled: Contour Next One"))
      try text.replacing("},\n    " + record, with: "}").write(toFile: script, atomically: true, encoding: .utf8)
      let fewer = try await Program.run(["demo", "--meters", folder], in: sandbox)
      #expect(fewer.status == 1 && fewer.err.contains("missing: Contour Next One"))
      #expect(fewer.lines.count == 18)
    }
  }

  @Test func interruptingIsStatus130() async throws {
    try await Sandbox.with { sandbox in
      // The second meter keeps everybody waiting.
      let folder = try meters(sandbox) { $0 }
      let script = folder + "/accu-chek-guide.json"
      let text = try String(contentsOfFile: script, encoding: .utf8)
      let slow = text.replacing("\"behaviour\"", with: Self.stall + ",\n  \"behaviour\"")
      try slow.write(toFile: script, atomically: true, encoding: .utf8)
      let program = try Program(["demo", "--meters", folder], in: sandbox)
      try await program.line(with: "round 1  Contour", on: .err)
      program.interrupt()
      let done = await program.outcome()
      #expect(
        done.status == 130 && !done.isSignalled && done.out.isEmpty, "\(done.status) \(done.isSignalled) \(done.err)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.root.path) == ["meters"])
    }
  }
}
