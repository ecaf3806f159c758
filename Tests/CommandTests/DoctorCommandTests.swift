import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct DoctorCommandTests {
  private func doctor(_ arguments: [String], in sandbox: Sandbox) async throws -> [String: [String: Any]] {
    let run = try await Program.run(["doctor", "--json"] + arguments, in: sandbox)
    let findings = try run.objects().map { ($0["check"] as? String ?? "", $0) }
    return Dictionary(findings, uniquingKeysWith: { first, _ in first })
  }

  @Test func aDamagedDatabaseIsFoundAndRepaired() async throws {
    try await Sandbox.with { sandbox in
      #expect(try await doctor(["--repair"], in: sandbox)["repair"]?["status"] as? String == "passed")
      #expect(try await Program.run(["queue", "list"], in: sandbox).status == 0)
      let whole = try await doctor(["--repair"], in: sandbox)
      #expect((whole["repair"]?["message"] as? String)?.contains("whole") == true)
      #expect(!FileManager.default.fileExists(atPath: sandbox.path("state/damaged-1")))

      let file = URL(fileURLWithPath: sandbox.path("state/state.sqlite"))
      var bytes = try Data(contentsOf: file)
      // The page of the last table or index.
      bytes.replaceSubrange((bytes.count - 4096)..<bytes.count, with: [UInt8](repeating: 0x5A, count: 4096))
      try bytes.write(to: file)
      let found = try await doctor([], in: sandbox)
      #expect(found["state"]?["status"] as? String == "failed")
      #expect("\(found["state"] ?? [:])".contains("doctor --repair"))

      let repaired = try await doctor(["--repair"], in: sandbox)
      #expect((repaired["repair"]?["message"] as? String)?.contains("was damaged") == true)
      #expect((repaired["repair"]?["cure"] as? String)?.contains("damaged-1") == true)
      #expect(repaired["state"]?["status"] as? String != "failed")
      #expect(try Data(contentsOf: URL(fileURLWithPath: sandbox.path("state/damaged-1/state.sqlite"))) == bytes)
      #expect(try await doctor([], in: sandbox)["repair"] == nil)
    }
  }
}
