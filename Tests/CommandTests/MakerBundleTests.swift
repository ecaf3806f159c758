import Foundation
import TestSupport
import Testing

/// Meters whose protocol only their makers have: what is missing is named everywhere, and nothing is tried.
@Suite(.serialized, .timeLimit(.minutes(60))) struct MakerBundleTests {
  static let peripherals: [(id: String, needs: [String], approval: Bool)] = [
    ("32", ["agamatrix-authkey.json"], true), ("33", ["cvshealth-authkey.json"], true),
    ("51", ["validic.license", "encryption-key"], true),
  ]

  @Test(arguments: peripherals.indices)
  func whatIsMissingIsNamed(_ index: Int) async throws {
    let (id, needs, approval) = Self.peripherals[index]
    try await Sandbox.with { sandbox in
      for command in ["read", "pair"] {
        let text = try await Program.run([command, id], in: sandbox)
        #expect(text.status == 69 && text.err.contains("error: no driver is installed"), "\(text.err)")
        let json = try await Program.run([command, id, "--json"], in: sandbox)
        #expect(json.status == 69 && json.out.isEmpty)
        let error = try json.jsonError()
        let message = try #require(error["message"] as? String)
        #expect(error["code"] as? String == "driver_unavailable")
        #expect(
          (needs + ["its maker's bundle", "its maker's approval", "driver why \(id)"]).allSatisfy(message.contains))
      }
      let shown = try await Program.run(["peripherals", "show", id], in: sandbox)
      #expect(shown.out.contains("none installed") && shown.out.contains("needed from its maker"))
      #expect(needs.allSatisfy { shown.out.contains($0) })
      let object = try #require(
        try await Program.run(["peripherals", "show", id, "--json"], in: sandbox).objects().first)
      #expect(object["driver"] == nil && object["approval_needed"] as? Bool == approval)
      let credentials = object["credentials"] as? [[String: Any]] ?? []
      #expect(credentials.map { $0["name"] as? String } == needs)
      #expect(credentials.allSatisfy { $0["required"] as? Bool == true })
      let list = try await Program.run(["peripherals", "list"], in: sandbox)
      #expect(list.lines.contains { $0.hasPrefix("\(id) ") && $0.hasSuffix("no driver") })
    }
  }

  @Test(
    "What nothing reads is refused at once, with the reason and what to do instead",
    arguments: [("10600", "health import"), ("10605", "Bluetooth Classic"), ("10607", "no start key")])
  func unreadMetersSayWhy(id: String, reason: String) async throws {
    try await Sandbox.with { sandbox in
      for command in ["read", "pair"] {
        let error = try await Program.run([command, id, "--json"], in: sandbox)
        #expect(error.status == 69 && error.out.isEmpty)
        let words = try #require(try error.jsonError()["message"] as? String)
        #expect(
          words.hasPrefix("no driver is installed") && words.contains(reason) && !words.contains("\n"), "\(words)")
      }
      let shown = try await Program.run(["peripherals", "show", id], in: sandbox)
      #expect(shown.out.contains("none installed") && !shown.out.contains("not public and needs"))
      let why = try await Program.run(["driver", "why", id], in: sandbox)
      #expect(why.status == 1 && why.out.contains(reason), "\(why.out)")
    }
  }

  @Test(arguments: peripherals.indices)
  func driverWhyListsEverything(_ index: Int) async throws {
    let (id, needs, _) = Self.peripherals[index]
    try await Sandbox.with { sandbox in
      let done = try await Program.run(["driver", "why", id, "--json"], in: sandbox)
      let why = try #require(try done.objects().first)
      #expect(done.status == 1 && why["answer"] as? String == "refused" && why["driver"] == nil)
      #expect((why["summary"] as? String)?.contains("names no driver") == true)
      let failed = (why["candidates"] as? [[String: Any]] ?? []).filter { $0["verdict"] as? String == "failed" }
      // In the order in which a read looks.
      #expect(failed.compactMap { $0["code"] as? String }.prefix(2) == ["no_driver", "approval_needed"])
      #expect(failed.count == 2 + needs.count && failed.allSatisfy { ($0["cure"] as? String)?.isEmpty == false })
      for (fact, name) in zip(failed.dropFirst(2), needs) {
        #expect((fact["cure"] as? String)?.contains("meterhost key set \(id) \(name)") == true)
      }
      // Looking leaves no state behind.
      #expect(!FileManager.default.fileExists(atPath: sandbox.path("state")))
    }
  }

  /// The keyed test meter's bundle stands for a maker's: entry 51 gets a driver, its match rules and its credentials.
  @Test func aMakersBundleTakesThePlaceOfTheEntryThatWaitsForIt() async throws {
    try await KeyedMeterFixture.with(licence: nil) { fixture in
      let registry = try JSONSerialization.jsonObject(with: Data(contentsOf: Installation.shared().registry))
      let entries = (registry as? [String: Any])?["peripherals"] as? [[String: Any]] ?? []
      var entry = try #require(entries.first { $0["id"] as? Int == 10500 })
      entry["id"] = 51
      entry["name"] = "CoaguChek INR meter"
      let fragment = try JSONSerialization.data(withJSONObject: ["registry_version": 1, "peripherals": [entry]])
      let folder = fixture.sandbox.root.appending(path: "registry.d")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try fragment.write(to: folder.appending(path: "50-maker.json"))
      let environment = ["METERHOST_REGISTRY_FRAGMENTS": folder.path]
      let run = { (arguments: [String], input: String) async throws -> Outcome in
        try await Program.run(
          arguments + ["--json"], in: fixture.sandbox, input: Array(input.utf8), environment: environment)
      }
      #expect(try await run(["read", "51"], "").errorCode() == "licence_missing")
      let key = ["key", "set", "51", KeyedMeterFixture.licenceName]
      #expect(try await run(key, KeyedMeterFixture.licence).status == 0)
      let answers = try fixture.sandbox.file(
        "answers", "\(KeyedMeterFixture.passkey)\n\(KeyedMeterFixture.key)\n")
      let paired = try await run(["pair", "51", "--answers", answers], "")
      #expect(paired.status == 0, "\(paired.err)")
      let why = try await run(["driver", "why", "51"], "")
      #expect(why.status == 0 && why.out.contains("50-maker.json"), "\(why.out)")
      #expect(try await run(["read", "51"], "").inrValues().count == 4)
      // Without the fragment the entry waits again, and what was read stays.
      #expect(try await fixture.run(["read", "51", "--json"]).errorCode() == "driver_unavailable")
    }
  }

  @Test func aKeyThatIsStoredBeforeItsBundleIsThereIsFound() async throws {
    try await Sandbox.with { sandbox in
      let set = try await Program.run(
        ["key", "set", "33", "cvshealth-authkey.json"], in: sandbox, input: Array(#"{"key": "abc"}"#.utf8))
      #expect(set.status == 0)
      let why = try await Program.run(["driver", "why", "33"], in: sandbox)
      #expect(
        why.status == 1
          && why.out.contains("credential cvshealth-authkey.json (auth_key_file, one for each peripheral) is here"))
      // The key of one peripheral is not another's, though the format is the same.
      #expect(
        try await Program.run(["driver", "why", "32"], in: sandbox).out.contains(
          "agamatrix-authkey.json (auth_key_file, one for each peripheral) is missing"))
      #expect(try await Program.run(["read", "33"], in: sandbox).status == 69)
    }
  }

  @Test func aLicenceThatIsNotRequiredIsNoObstacle() async throws {
    try await Sandbox.with { sandbox in
      let why = try await Program.run(["driver", "why", "10400"], in: sandbox)
      #expect(why.status == 0 && why.out.contains("lifescan.license") && why.out.contains("not required"))
    }
  }
}
