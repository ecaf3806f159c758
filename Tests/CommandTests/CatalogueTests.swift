import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct CatalogueTests {
  @Test func peripheralsAreListedAndShown() async throws {
    try await Sandbox.with { sandbox in
      let text = try await Program.run(["peripherals", "list"], in: sandbox)
      #expect(text.status == 0 && text.err.isEmpty && !text.out.contains("\u{1B}"))
      #expect(text.lines.first?.hasPrefix("ID") == true)
      #expect(text.out.contains("Contour Next One"))
      let objects = try await Program.run(["peripherals", "list", "--json"], in: sandbox).objects()
      #expect(objects.count == text.lines.count - 1)
      let ids = objects.compactMap { $0["id"] as? Int }
      #expect(ids.contains(1000) && ids.contains(4000) && ids == ids.sorted())
      let thermometers = try await Program.run(
        ["peripherals", "--type", "thermometer", "--json"], in: sandbox
      ).objects()
      #expect(Set(thermometers.compactMap { $0["type"] as? String }) == ["thermometer"])
      let found = try await Program.run(["peripherals", "list", "--search", "CONTOUR", "--json"], in: sandbox).objects()
      #expect(found.count == 1)
      let none = try await Program.run(["peripherals", "list", "--search", "nobody"], in: sandbox)
      #expect(none.status == 0 && none.out.isEmpty && none.err.contains("no entry"))
      let shown = try await Program.run(["peripherals", "show", "1000"], in: sandbox)
      #expect(shown.status == 0 && shown.out.contains("Generic glucose meter"))
      let object = try #require(
        try await Program.run(["peripherals", "show", "1000", "--json"], in: sandbox).objects().first)
      #expect(object["driver"] as? String == "org.meterhost.glucose")
      let picture = try #require(object["picture"] as? [String: Any])
      let file = try #require(picture["file"] as? String)
      #expect(picture["media_type"] as? String == "image/svg+xml" && shown.out.contains(file))
      #expect(try String(contentsOfFile: file, encoding: .utf8).contains("<title>Generic glucose meter</title>"))
      // Looking at the catalogue leaves no state behind.
      #expect(!FileManager.default.fileExists(atPath: sandbox.path("state")))
    }
  }

  static let failures: [(arguments: [String], status: Int32, code: String)] = [
    (["peripherals", "show", "7"], 64, "unknown_peripheral"), (["driver", "show", "x.y"], 64, "unknown_driver"),
    (["queue", "show", "x"], 64, "bad_log_id"),
    (["queue", "show", "0b0c7d5e-2a53-8f0e-9a77-6a2f5e3f2b10"], 64, "unknown_log_id"), (["read", "7"], 64, ""),
    (["session", "end"], 1, "no_session"), (["meter", "run", "/nonexistent.json"], 64, ""),
    (["peripherals", "list", "--registry", "/nonexistent.json"], 69, ""),
    (["demo", "--meters", "/nonexistent"], 69, "no_plan"),
    (["receive", "--database", "/nonexistent/r.sqlite"], 1, "database_failure"),
    (["receive", "--database", "r.sqlite", "--port", "99999"], 64, "invalid_configuration"),
    (["receive", "--database", "r.sqlite", "--accounts", "/nonexistent"], 64, "accounts"),
  ]

  @Test(arguments: 0..<failures.count)
  func failuresHaveAStatusACodeAndAMessage(index: Int) async throws {
    let (arguments, status, code) = Self.failures[index]
    try await Sandbox.with { sandbox in
      let text = try await Program.run(arguments, in: sandbox)
      #expect(text.status == status && text.out.isEmpty)
      #expect(text.err.hasPrefix("error: ") || text.err.hasPrefix("warning: "), "\(text.err)")
      let json = try await Program.run(arguments + ["--json"], in: sandbox)
      #expect(json.status == status && json.out.isEmpty)
      let error = try json.jsonError()
      #expect(code.isEmpty || error["code"] as? String == code, "\(error)")
      #expect((error["message"] as? String)?.isEmpty == false)
      if let hint = error["hint"] as? String { #expect(text.err.contains("hint: \(hint)")) }
    }
  }

  @Test func driversAreListedAndShown() async throws {
    try await Sandbox.with { sandbox in
      let text = try await Program.run(["driver"], in: sandbox)
      let count = BuildProducts.allBundles.count
      #expect(text.lines.count == count + 1 && text.out.contains("org.meterhost.thermometer"))
      let objects = try await Program.run(["driver", "list", "--json"], in: sandbox).objects()
      let ids = objects.compactMap { $0["id"] as? String }
      #expect(ids.count == count && ids == ids.sorted() && ids.contains("org.meterhost.glucose"))
      #expect(objects.allSatisfy { ($0["sha256"] as? String)?.count == 64 })
      let shown = try await Program.run(["driver", "show", "org.meterhost.glucose"], in: sandbox)
      #expect(shown.status == 0 && shown.out.contains("capabilities"))
    }
  }

  @Test func verifyPassesTheGoodAndNamesWhatIsWrongWithTheBad() async throws {
    try await Sandbox.with { sandbox in
      let good = try await Program.run(["driver", "verify", "org.meterhost.glucose"], in: sandbox)
      #expect(good.status == 0 && good.out.contains("passed"))
      let library = try Installation.shared().library("glucose")
      try FileManager.default.copyItem(at: library, to: sandbox.root.appending(path: "own.so"))
      #expect(try await Program.run(["driver", "verify", "own.so"], in: sandbox).status == 0)
      // e_machine stands at offset 18: 183 is AArch64, 62 is x86-64.
      let foreign = try CompiledBundle.patched(library) { $0[18] = $0[18] == 62 ? 183 : 62 }
      let corrupted = try CompiledBundle.patched(library) { $0.removeLast($0.count - 40_000) }
      let cases = [
        (foreign.path, "wrong_architecture"), (corrupted.path, "malformed"),
        (try sandbox.file("text.so", "hello"), "not_elf"), (try sandbox.file("empty.so", ""), "not_elf"),
        ("/nonexistent.so", "unreadable"), ("x.y.z", "unknown_target"), (sandbox.root.path, "not_regular_file"),
      ]
      for (file, code) in cases {
        let text = try await Program.run(["driver", "verify", file], in: sandbox)
        #expect(text.status == 1 && text.out.isEmpty && text.err.hasPrefix("refused: "), "\(file)")
        let json = try await Program.run(["driver", "verify", file, "--json"], in: sandbox)
        let report = try #require(try json.objects().first)
        #expect(json.status == 1 && report["passed"] as? Bool == false)
        #expect(report["code"] as? String == code, "\(report)")
      }
    }
  }

  @Test func aChangedInstalledBundleIsRefusedEverywhere() async throws {
    let installation = try Installation()
    defer { installation.remove() }
    var bytes = try Data(contentsOf: installation.library("glucose"))
    bytes.append(0)
    try bytes.write(to: installation.library("glucose"))
    try await Sandbox.with { sandbox in
      let registry = ["--registry", installation.registry.path]
      let verify = try await Program.run(
        ["driver", "verify", "org.meterhost.glucose", "--json"] + registry, in: sandbox)
      #expect(try verify.objects().first?["code"] as? String == "wrong_hash")
      let line = #"{"id":"1","peripheral":1000,"characteristic":"2A18","hex":"131e00e2070914051b075cfe6fb0f1"}"#
      let decode = try await Program.run(["driver", "decode"] + registry, in: sandbox, input: Array(line.utf8))
      #expect(decode.status == 0 && decode.out.contains("driver_unavailable"))
      #expect(try await Program.run(["read", "1000", "--json"] + registry, in: sandbox).status == 69)
      #expect(try await Program.run(["doctor"] + registry, in: sandbox).status == 1)
      #expect(try await Program.run(["demo"] + registry, in: sandbox).status != 0)
    }
  }

  @Test func namesFromOutsideCannotDriveTheTerminal() async throws {
    let installation = try Installation()
    defer { installation.remove() }
    let text = try String(contentsOf: installation.registry, encoding: .utf8)
    try text.replacing("Contour Next One", with: "Contour\\u001b]0;owned\\u0007\\u202eNext").write(
      to: installation.registry, atomically: true, encoding: .utf8)
    for arguments in [["peripherals", "list"], ["peripherals", "show", "10000"]] {
      let done = try await Sandbox.with {
        try await Program.run(arguments + ["--registry", installation.registry.path], in: $0)
      }
      let all = (done.out + done.err).unicodeScalars
      #expect(!all.contains { $0 == "\u{1B}" || $0 == "\u{7}" || $0 == "\u{202E}" })
    }
  }

  @Test func doctorTellsTextAndJSON() async throws {
    try await Sandbox.with { sandbox in
      let text = try await Program.run(["doctor"], in: sandbox)
      #expect(text.status == 0 && text.out.contains("passed   registry"))
      let findings = try await Program.run(["doctor", "--json"], in: sandbox).objects()
      #expect(findings.count >= 6 && findings.allSatisfy { $0["check"] is String && $0["status"] is String })
      let broken = try await Program.run(["doctor", "--worker", "/nonexistent"], in: sandbox)
      #expect(broken.status == 1 && broken.out.contains("FAILED"))
    }
  }
}
