import Foundation
import TestSupport
import Testing

@Suite("The command health", .timeLimit(.minutes(60))) struct HealthCommandTests {
  private static let record = #"""
     <Record type="HKQuantityTypeIdentifierStepCount" sourceName="iPhone" unit="count" \#
    creationDate="2025-03-01 10:10:00 +0100" startDate="2025-03-01 10:00:00 +0100" endDate="2025-03-01 10:10:00 +0100" \#
    value="1100"/>

    """#

  private static let export =
    "<HealthData>\n <ExportDate value=\"2025-03-31 22:00:00 +0200\"/>\n" + record + "</HealthData>\n"

  private func run(_ text: String, _ arguments: String...) async throws -> Outcome {
    try await Sandbox.with { sandbox in
      let file = try sandbox.file("export.xml", text)
      let done = try await Program.run(["health", "import", file] + arguments, in: sandbox)
      #expect(!FileManager.default.fileExists(atPath: sandbox.path("state")))
      return done
    }
  }

  @Test func aDryRunSaysWhatAnExportComesTo() async throws {
    let done = try await run(Self.export, "--dry-run", "--all", "--zone", "Europe/Berlin", "--json")
    #expect(done.status == 0 && done.err.isEmpty, "\(done.err)")
    let object = try #require(try done.objects().first)
    #expect(
      Set(object.keys) == ["samples", "days", "sleep", "workouts", "measurements", "refused", "partial"])
    #expect((object["samples"] as? [String: Int]) == ["HKQuantityTypeIdentifierStepCount": 1])
    let day = (object["days"] as? [[String: Any]])?.first
    #expect(day?["day"] as? String == "2025-03-01" && day?["value"] as? Int == 1100)
  }

  @Test func aPersonSeesATable() async throws {
    let done = try await run(Self.export, "--dry-run", "--since", "2025-01-01", "--zone", "Europe/Berlin")
    #expect(done.status == 0 && done.out.contains("2025-03-01  1100") && done.out.contains("apple-health"))
  }

  @Test(arguments: [
    (["--zone", "BST"], "unknown_zone"), (["--since", "1999-01-01"], "usage"), (["--since", "x"], "usage"),
    (["--all", "--since", "2025-01-01"], "usage"),
  ])
  func wrongOptionsAreRefused(arguments: [String], code: String) async throws {
    let done = try await Sandbox.with { sandbox in
      let file = try sandbox.file("export.xml", Self.export)
      return try await Program.run(["health", "import", file, "--dry-run", "--json"] + arguments, in: sandbox)
    }
    #expect(done.status == 64 && done.out.isEmpty)
    #expect(try done.jsonError()["code"] as? String == code)
  }

  @Test func aWrongFileNamesWhatWasTried() async throws {
    let done = try await run("Dear diary", "--dry-run", "--json")
    let error = try done.jsonError()
    #expect(done.status == 64 && error["code"] as? String == "not_an_export")
    #expect((error["message"] as? String)?.contains("org.meterhost.apple-health") == true && error["hint"] != nil)
  }

  @Test func aPartIsShownAndIsNoSuccess() async throws {
    let done = try await run(String(Self.export.dropLast(15)), "--dry-run", "--all", "--json")
    #expect(done.status == 1 && done.err.contains("something is missing"))
    #expect(try done.objects().first?["partial"] as? Bool == true)
  }
}
