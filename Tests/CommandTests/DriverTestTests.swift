import Foundation
import TestSupport
import Testing

/// `meterhost driver test`: what it prints and how it exits; what it finds is tested where the suite is.
@Suite(.timeLimit(.minutes(60))) struct DriverTestTests {
  private func run(_ arguments: String...) async throws -> Outcome {
    try await Sandbox.with { try await Program.run(["driver", "test"] + arguments, in: $0) }
  }

  @Test func anInstalledDriverIsTriedOnTheMetersOfTheInstallation() async throws {
    try await Sandbox.with { sandbox in
      let report = sandbox.path("report.xml")
      let done = try await run(
        "org.meterhost.thermometer", "--rule", "R13", "--rule", "r12", "--json", "--junit", report)
      #expect(done.status == 0, "\(done.err)")
      let results = try done.objects()
      #expect(Set(results.compactMap { $0["rule"] as? String }) == ["R12", "R13"])
      #expect(results.allSatisfy { $0["driver"] as? String == "org.meterhost.thermometer" && $0["title"] is String })
      #expect(results.contains { $0["check"] as? String == "small-sinks" && $0["status"] as? String == "passed" })
      #expect(results.contains { $0["check"] as? String == "vectors" && $0["reason"] is String })
      let xml = try String(contentsOfFile: report, encoding: .utf8)
      #expect(xml.contains("<testsuite name=\"R13\"") && xml.contains("failures=\"0\""))
    }
  }

  @Test func aRefusedLibraryIsAFailureWithItsRule() async throws {
    let library = try CompiledBundle.make(defines: ["NO_NOTE"])
    let done = try await run(library.path)
    #expect(done.status == 1 && done.out.contains("FAILED  R20 verified"), "\(done.out) \(done.err)")
    #expect(done.out.contains("broken: rule R20"))
    let json = try await run(library.path, "--json")
    #expect(json.status == 1)
    #expect(try json.objects().filter { $0["status"] as? String == "failed" }.count == 1)
    #expect(Set(try json.objects().compactMap { $0["rule"] as? String }).count == 27)
  }

  @Test func whatIsNoDriverIsAWrongCommandLine() async throws {
    let nobody = try await run("org.example.nobody", "--json")
    #expect(try nobody.status == 64 && nobody.jsonError()["code"] as? String == "unknown_target", "\(nobody.err)")
    #expect(try await run("org.meterhost.glucose", "--rule", "R28").status == 64)
    #expect(try await run().status == 64)
    let key = try await run("org.meterhost.glucose", "--key", "name", "--json")
    #expect(try key.status == 64 && key.jsonError()["code"] as? String == "key", "\(key.err)")
    let registry = try await run("org.meterhost.glucose", "--registry", "/nowhere/registry.json", "--json")
    #expect(try registry.status == 69 && registry.jsonError()["code"] as? String == "unreadable", "\(registry.err)")
  }

  @Test func aProbeThatIsMissingIsNamedWithItsPlace() async throws {
    try await Sandbox.with { sandbox in
      let worker = sandbox.path("meterhost-worker")
      try FileManager.default.copyItem(at: Installation.shared().worker, to: URL(filePath: worker))
      let done = try await run("org.meterhost.thermometer", "--rule", "R13", "--worker", worker, "--json")
      let error = try done.jsonError()
      #expect(done.status == 69 && error["code"] as? String == "system", "\(done.err)")
      let message = error["message"] as? String ?? ""
      #expect(message.contains("not installed at \(sandbox.path("meterhost-driver-probe"))"), "\(message)")
    }
  }

  @Test func aRunThatHadNothingToLookAtIsNoSuccess() async throws {
    let library = try CompiledBundle.compile(
      CompiledBundle.root.appending(path: "Tests/Fixtures/Nonconforming/scale.c"),
      include: CompiledBundle.root.appending(path: "SDK/include"), isBundle: true)
    let done = try await run(library.path, "--json")
    #expect(try done.status == 1 && done.jsonError()["code"] as? String == "nothing_tried", "\(done.err)")
    #expect(try done.objects().allSatisfy { ["passed", "skipped"].contains($0["status"] as? String) })
  }

  @Test func theChecksCanBeListed() async throws {
    let list = try await run("--list", "--json")
    let checks = try list.objects()
    #expect(list.status == 0 && checks.count > 40)
    #expect(checks.allSatisfy { $0["rule"] is String && $0["name"] is String && $0["mend"] is String })
    let some = try await run("--list", "--rule", "R25")
    #expect(some.out.contains("dropped") && !some.out.contains("small-sinks"))
  }
}
