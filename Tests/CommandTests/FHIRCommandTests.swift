import Foundation
import TestSupport
import Testing

@Suite("meterhost fhir export", .timeLimit(.minutes(60))) struct FHIRCommandTests {
  /// A session with a reading that has a form in FHIR, one that has none, and one that waits for a person.
  private func prepare(_ sandbox: Sandbox) async throws {
    try await Program.startSession(in: sandbox)
    let lines = [
      ["--type", "weight", "--value", "body_weight=70.50 kg", "--time", "2026-03-01T08:00Z"],
      ["--type", "nutrition", "--value", "protein=21 g", "--time", "2026-03-01T12:00Z"],
      ["--type", "weight", "--value", "body_weight=71 kg", "--time", "2026-03-02T08:00Z", "--confirm-first"],
    ]
    for line in lines {
      let submitted = try await Program.run(["submit", "--no-upload"] + line, in: sandbox)
      #expect(submitted.status == 0, "\(submitted.err)")
    }
  }

  @Test("writes a bundle a line into a new file of one's own, and says what it leaves out")
  func file() async throws {
    try await Sandbox.with { sandbox in
      try await prepare(sandbox)
      let path = sandbox.path("readings.ndjson")
      let export = ["fhir", "export", "--patient", "Patient/7", path]
      let done = try await Program.run(export, in: sandbox)
      #expect(done.status == 0 && done.lines == ["\(path) has 1 bundle"], "\(done.err)")
      #expect(done.err.contains("is not written: no measured value") && done.err.contains("1 reading waits"))
      let written = try String(contentsOfFile: path, encoding: .utf8)
      #expect(written.hasSuffix("}\n") && written.split(separator: "\n").count == 1)
      #expect(written.contains(#""value":70.50,"#) && written.contains(#""reference":"Patient/7""#))
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600 && !FileManager.default.fileExists(atPath: path + ".part"))
      // A file that is there stays as it is.
      let again = try await Program.run(export, in: sandbox)
      #expect(again.status == 64 && again.err.contains("it is there already"))
      #expect(try String(contentsOfFile: path, encoding: .utf8) == written)
    }
  }

  @Test("what a killed command has left is replaced, and nothing else is")
  func left() async throws {
    try await Sandbox.with { sandbox in
      try await prepare(sandbox)
      let path = sandbox.path("readings.ndjson")
      let part = path + ".part"
      let export = ["fhir", "export", "--patient", "Patient/7", path]
      for mode in [0o644, 0o600] as [mode_t] {
        try Data(repeating: 0x7B, count: 100_000).write(to: URL(filePath: part))
        #expect(chmod(part, mode) == 0)
        let done = try await Program.run(export, in: sandbox)
        // What others may read is none of such a command.
        let isOwn = mode == 0o600
        #expect(done.status == (isOwn ? 0 : 64), "\(done.err)")
        #expect(FileManager.default.fileExists(atPath: path) == isOwn)
        #expect(FileManager.default.fileExists(atPath: part) == !isOwn)
        try? FileManager.default.removeItem(atPath: part)
      }
      let written = try String(contentsOfFile: path, encoding: .utf8)
      #expect(written.hasPrefix(#"{"resourceType":"Bundle""#) && written.hasSuffix("}\n"))
    }
  }

  @Test("prints what it has written as JSON")
  func json() async throws {
    try await Sandbox.with { sandbox in
      try await prepare(sandbox)
      let path = sandbox.path("readings.ndjson")
      let done = try await Program.run(["fhir", "export", "--patient", "Patient/7", path, "--json"], in: sandbox)
      let report = try #require(try done.objects().first)
      #expect(report["bundles"] as? Int == 1 && report["held"] as? Int == 1 && report["file"] as? String == path)
      let refused = try #require((report["refused"] as? [[String: Any]])?.first)
      #expect(refused["code"] as? String == "fhir_no_code")
    }
  }

  @Test("bundles go to standard output, and nothing else does")
  func output() async throws {
    try await Sandbox.with { sandbox in
      try await prepare(sandbox)
      let wanted = ["fhir", "export", "--patient-identifier", "urn:x|1", "--to", "2026-03-01T12:00Z", "-"]
      let done = try await Program.run(wanted, in: sandbox)
      let bundle = try #require(try done.objects().first)
      #expect(done.status == 0 && done.lines.count == 1 && bundle["resourceType"] as? String == "Bundle")
      let none = try await Program.run(wanted + ["--from", "2026-03-01T09:00Z", "--json"], in: sandbox)
      #expect(none.status == 0 && none.out.isEmpty)
    }
  }

  @Test("a patient who is none makes no file")
  func patient() async throws {
    try await Sandbox.with { sandbox in
      let path = sandbox.path("readings.ndjson")
      let done = try await Program.run(["fhir", "export", "--patient", "7", path, "--json"], in: sandbox)
      let error = try done.jsonError()
      #expect(done.status == 64 && error["code"] as? String == "fhir_patient")
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }
}
