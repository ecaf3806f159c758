import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct PackageCommandTests {
  @Test func fromAFolderToAnInstalledDriverAndBack() async throws {
    try await Sandbox.with { sandbox in
      let folder = try await PackageFolder(in: sandbox)
      let first = try await folder.package("1.0.0")
      let strange = try await folder.run(["verify", first, "--json"])
      #expect(strange.status == 1)
      #expect(try strange.objects().first?["code"] as? String == "untrusted_key")
      try await folder.trust()
      let verified = try await folder.run(["verify", first, "--json"])
      #expect(verified.status == 0, "\(verified.err)")
      let report = try #require(try verified.objects().first)
      #expect(report["publisher"] as? String == "Example Ltd")
      let package = try #require(report["package"] as? [String: Any])
      #expect(package["platforms"] as? [String] == ["linux-aarch64", "linux-x86_64"])
      let installed = try await folder.run(["install", first, "--json"])
      #expect(installed.status == 0, "\(installed.err)")
      #expect(try installed.objects().first?["action"] as? String == "installed")
      let shown = try #require(try await folder.run(["show", ScaleFolder.id, "--json"]).objects().first)
      #expect(shown["publisher"] as? String == "Example Ltd" && shown["enabled"] as? Bool == true)
      #expect(shown["package"] as? String == ScaleFolder.id)
      #expect(shown["signed_by"] as? [String] == [try await folder.publicKey()])
      #expect((shown["file"] as? String)?.hasPrefix(folder.fragments) == true)

      let second = try await folder.package("1.1.0")
      let updated = try await folder.run(["update", sandbox.root.path, "--json"])
      #expect(updated.status == 0, "\(updated.err)")
      #expect(try updated.objects().map { $0["version"] as? String } == ["1.1.0"])
      let skipped = try await folder.run(["update", second, "--json"])
      #expect(try skipped.objects().map { $0["action"] as? String } == ["skipped"])
      let older = try await folder.run(["install", first, "--json"])
      #expect(older.status == 1)
      #expect(try older.jsonError()["code"] as? String == "older_version")
      let back = try await folder.run(["rollback", ScaleFolder.id, "--json"])
      #expect(try back.objects().first?["action"] as? String == "rolled_back")
      #expect(try folder.version() == "1.0.0")

      #expect(try await folder.run(["disable", ScaleFolder.id]).status == 0)
      #expect(try folder.version() == nil)
      let listed = try await folder.run(["list", "--json"]).objects()
      let own = try #require(listed.first { $0["id"] as? String == ScaleFolder.id })
      #expect(
        own["enabled"] as? Bool == false && (own["peripherals"] as? [Int])?.contains(ScaleFolder.peripheral) == true)
      #expect(try await folder.run(["enable", ScaleFolder.id]).status == 0)
      #expect(try folder.version() == "1.0.0")
      let removed = try await folder.run(["remove", ScaleFolder.id, "--json"])
      #expect(removed.status == 0, "\(removed.err)")
      #expect(try folder.version() == nil)
      let gone = try await folder.run(["remove", ScaleFolder.id, "--json"])
      #expect(gone.status == 64)
      #expect(try gone.jsonError()["code"] as? String == "not_installed")
    }
  }

  @Test func whatAPackageHasBroughtIsNotUnknownWhileThePackageIsDisabled() async throws {
    try await Sandbox.with { sandbox in
      let folder = try await PackageFolder(in: sandbox)
      try await folder.trust()
      #expect(try await folder.run(["install", try await folder.package("1.0.0")]).status == 0)
      #expect(try await folder.run(["disable", ScaleFolder.id]).status == 0)
      let id = "\(ScaleFolder.peripheral)"
      let commands = [
        ["read", id], ["pair", id], ["peripherals", "show", id], ["passive", "set", id], ["key", "set", id, "x"],
        ["driver", "call", ScaleFolder.id], ["driver", "test", ScaleFolder.id],
      ]
      for arguments in commands {
        let done = try await Program.run(arguments + ["--json"], in: sandbox, environment: folder.environment)
        let message = try done.jsonError()["message"] as? String ?? ""
        #expect(done.status == 64, "\(arguments): \(done.err)")
        #expect(
          message.contains("is of the package \(ScaleFolder.id), which is disabled")
            && message.contains("`meterhost driver enable \(ScaleFolder.id)`"), "\(arguments): \(message)")
      }
      for target in [id, ScaleFolder.id] {
        let why = try #require(try await folder.run(["why", target, "--json"]).objects().first)
        #expect(why["answer"] as? String == "refused" && (why["summary"] as? String)?.contains("disabled") == true)
        let failed = (why["candidates"] as? [[String: Any]] ?? []).first { $0["verdict"] as? String == "failed" }
        #expect(failed?["code"] as? String == "package_disabled", "\(why)")
      }
      let nobody = try await Program.run(["read", "919191", "--json"], in: sandbox, environment: folder.environment)
      let words = try nobody.jsonError()["message"] as? String
      #expect(words?.contains("there is no Bluetooth peripheral 919191") == true)
    }
  }

  @Test func aBundleThatIsNotWhatItsFragmentSaysIsNotPacked() async throws {
    try await Sandbox.with { sandbox in
      let folder = try await PackageFolder(in: sandbox)
      let source = try ScaleFolder(sandbox.root.appending(path: "src"), version: "1.0.0", fragmentVersion: "1.1.0")
      let file = sandbox.path("scale.mhdriver")
      let refused = try await folder.run(["pack", source.url.path, "--output", file, "--json"])
      let error = try refused.jsonError()
      #expect(refused.status == 1 && error["code"] as? String == "driver_refused", "\(refused.err)")
      #expect((error["message"] as? String)?.contains("the bundle is version 1.0.0, the registry says 1.1.0") == true)
      #expect(!FileManager.default.fileExists(atPath: file))
      try source.change("1.1.0", "1.0.0")
      let packed = try await folder.run(["pack", source.url.path, "--output", file, "--json"])
      #expect(packed.status == 0, "\(packed.err)")
      #expect(try packed.objects().first?["started"] as? Bool == true)
    }
  }

  @Test func aDriverOfAnotherFragmentIsNotTheDisabledPackages() async throws {
    try await Sandbox.with { sandbox in
      let folder = try await PackageFolder(in: sandbox)
      try await folder.trust()
      #expect(try await folder.run(["install", try await folder.package("1.0.0")]).status == 0)
      #expect(try await folder.run(["disable", ScaleFolder.id]).status == 0)
      // As if somebody had written the same entries by hand.
      try FileManager.default.copyItem(
        atPath: "\(folder.fragments)/packages/\(ScaleFolder.id)/disabled.json", toPath: "\(folder.fragments)/own.json")
      let shown = try #require(try await folder.run(["show", ScaleFolder.id, "--json"]).objects().first)
      #expect(shown["enabled"] as? Bool == true && shown["package"] == nil, "\(shown)")
    }
  }

  @Test func whatLiesInAFolderAndCannotBeInstalledStopsNoUpdate() async throws {
    try await Sandbox.with { sandbox in
      let folder = try await PackageFolder(in: sandbox)
      try await folder.trust()
      #expect(try await folder.run(["install", try await folder.package("1.0.0")]).status == 0)
      let unsigned = try await folder.package("9.0.0", isSigned: false)
      try Data("no package".utf8).write(to: sandbox.root.appending(path: "a.mhdriver"))
      let none = try await folder.run(["update", sandbox.root.path, "--json"])
      let skipped = try #require(try none.objects().first)
      #expect(none.status == 0 && skipped["action"] as? String == "skipped")
      #expect((skipped["warnings"] as? [String])?.first?.contains("9.0.0-unsigned") == true, "\(skipped)")
      _ = try await folder.package("1.1.0")
      let stranger = sandbox.path("stranger.key")
      _ = try await folder.run(["key", "make", stranger])
      let signed = try await folder.run(
        ["sign", unsigned, "--key", stranger, "--output", sandbox.path("b.mhdriver")])
      #expect(signed.status == 0, "\(signed.err)")
      let updated = try await folder.run(["update", sandbox.root.path, "--json"])
      #expect(updated.status == 0, "\(updated.err)")
      #expect(try updated.objects().map { $0["version"] as? String } == ["1.1.0"])
      // Named itself, it is told why it is refused.
      let refused = try await folder.run(["update", sandbox.path("b.mhdriver"), "--json"])
      #expect(try refused.status == 1 && refused.jsonError()["code"] as? String == "untrusted_key", "\(refused.err)")
    }
  }

  @Test func unsignedOnesNeverSlipIn() async throws {
    try await Sandbox.with { sandbox in
      let folder = try await PackageFolder(in: sandbox)
      let file = try await folder.package("1.0.0", isSigned: false)
      for arguments in [["install", file], ["install", file, "--unsigned"]] {
        let refused = try await folder.run(arguments + ["--json"])
        #expect(refused.status == 1)
        #expect(try refused.jsonError()["code"] as? String == "unsigned")
      }
      #expect(try folder.version() == nil)
      let policy = try await folder.run(["trust", "policy", "--unsigned", "allowed", "--json"])
      #expect(try policy.objects().first?["allow_unsigned"] as? Bool == true)
      #expect(try await folder.run(["install", file]).status == 1)
      #expect(try await folder.run(["install", file, "--unsigned"]).status == 0)
      #expect(try folder.version() == "1.0.0")
      #expect(try await folder.run(["trust", "policy", "--signatures", "required"]).status == 0)
      let why = try #require(try await folder.run(["why", ScaleFolder.id, "--json"]).objects().first)
      #expect(why["answer"] as? String == "refused")
      #expect(try folder.version()?.contains("no signature") == true)
    }
  }

  @Test func theTrustListOnTheCommandLine() async throws {
    try await Sandbox.with { sandbox in
      let folder = try await PackageFolder(in: sandbox)
      try await folder.trust()
      let key = try await folder.publicKey()
      let floored = try #require(
        try await folder.run(["trust", "floor", "org.example.", "1.2.0", "--json"]).objects().first)
      #expect((floored["floors"] as? [[String: String]])?.first == ["drivers": "org.example.", "version": "1.2.0"])
      let package = try await folder.package("1.0.0")
      #expect(try await folder.run(["install", package, "--json"]).jsonError()["code"] as? String == "below_floor")
      #expect(try await folder.run(["trust", "floor", "org.example."]).status == 0)
      #expect(try await folder.run(["install", package]).status == 0)
      let revoked = try #require(
        try await folder.run(["trust", "revoke", "example", "--key", key, "--json"]).objects().first)
      let publisher = try #require((revoked["publishers"] as? [[String: Any]])?.first)
      #expect(publisher["keys"] as? [String] == [] && publisher["revoked"] as? [String] == [key])
      #expect(try folder.version()?.contains("revoked") == true)
      // Nor is it loaded to be tried or fuzzed, and the doctor knows what helps.
      let tested = try await folder.run(["test", ScaleFolder.id])
      #expect(tested.status == 1 && tested.out.contains("revoked"), "\(tested.out)\(tested.err)")
      let fuzzed = try await folder.run(["fuzz", ScaleFolder.id, "--seconds", "1", "--json"])
      #expect(try fuzzed.status == 1 && fuzzed.jsonError()["code"] as? String == "revoked_key", "\(fuzzed.err)")
      let doctor = try await Program.run(["doctor", "--json"], in: sandbox, environment: folder.environment)
      let finding = try #require(
        try doctor.objects().first { ($0["check"] as? String)?.hasSuffix(ScaleFolder.id) == true })
      #expect((finding["cure"] as? String)?.contains("signed with another key") == true, "\(finding)")
      // It does not come back.
      let again = try await folder.run(["trust", "add", "example", "--key", key, "--json"])
      #expect(try again.jsonError()["code"] as? String == "revoked_key")
      #expect(try await folder.run(["trust", "remove", "example"]).status == 0)
      // Not under another name, nor after its publisher has gone.
      for name in ["example", "other"] {
        let added = try await folder.run(["trust", "add", name, "--key", key, "--drivers", "org.example.", "--json"])
        #expect(try added.jsonError()["code"] as? String == "revoked_key")
      }
      #expect(try folder.version()?.contains("revoked") == true)
      let nobody = try await folder.run(["trust", "remove", "example", "--json"])
      #expect(nobody.status == 69)
      #expect(try await folder.run(["trust", "add", "x", "--key", "00"]).status == 64)
      #expect(
        try await folder.run(["trust", "add", "X Y", "--key", key, "--drivers", "org.x.", "--json"]).status == 69)
    }
  }

  @Test func aRunningServiceTakesWhatIsInstalledForItsNextSession() async throws {
    try await Sandbox.with { sandbox in
      let folder = try await PackageFolder(in: sandbox)
      try await folder.trust()
      let service = try Program(["run", "--json"], in: sandbox, environment: folder.environment)
      try await service.line(with: #""event":"running""#)
      func read() async throws -> Outcome {
        try await Program.run(
          ["read", "\(ScaleFolder.peripheral)", "--json", "--trust-clock"], in: sandbox, environment: folder.environment
        )
      }
      let before = try await read()
      #expect(try before.jsonError()["code"] as? String == "unknown_peripheral")
      #expect(try await folder.run(["install", try await folder.package("1.0.0")]).status == 0)
      let script = CompiledBundle.root.appending(path: "docs/examples/scale/meter.json").path
      let meter = try Program(["meter", "run", script], in: sandbox)
      try await meter.line(with: "advertising")
      let after = try await read()
      #expect(after.status == 0, "\(after.err)")
      #expect(try after.objects().last?["event"] as? String == "completed")
      #expect(try await folder.run(["disable", ScaleFolder.id]).status == 0)
      let off = try await read()
      #expect(try off.jsonError()["code"] as? String == "unknown_peripheral")
      meter.interrupt()
      _ = await meter.outcome()
      service.interrupt()
      #expect(await service.outcome().status == 0)
    }
  }
}
