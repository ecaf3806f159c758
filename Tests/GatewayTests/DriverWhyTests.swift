import GatewayEngine
import Foundation
import MeterDrivers
import GatewayTools
import TestSupport
import Testing

/// Every rule that can refuse a driver is named with the file, the reason and the cure.
@Suite("driver why", .timeLimit(.minutes(60))) struct DriverWhyTests {
  struct Damage: Sendable, CustomTestStringConvertible {
    let name: String
    let stage: Candidate.Stage
    let code: String
    let rule: String
    /// What the reason says.
    let says: String
    let make: @Sendable (inout WhyFixture) throws -> Void
    var testDescription: String { name }
  }

  private static func replace(_ old: String, _ new: String, in file: URL) throws -> URL {
    try CompiledBundle.patched(file) { bytes in
      let place = try #require(Data(bytes).range(of: Data((old + "\0").utf8)))
      bytes.replaceSubrange(place, with: Array((new + "\0").utf8))
    }
  }

  private static func patchNote(_ offset: Int, _ value: UInt8) throws -> URL {
    try CompiledBundle.patched(WhyFixture.library()) { bytes in
      let note = try #require(Data(bytes).range(of: Data("MeterHost\0\0\0".utf8)))
      bytes[note.upperBound + offset] = value
    }
  }

  static let damages: [Damage] = [
    Damage(name: "missing file", stage: .library, code: "unreadable_file", rule: "R22", says: "not there") {
      try FileManager.default.removeItem(atPath: $0.libraryPath)
    },
    Damage(name: "link out of the folder", stage: .library, code: "escaping_path", rule: "R22", says: "symbolic link") {
      try FileManager.default.removeItem(atPath: $0.libraryPath)
      try FileManager.default.createSymbolicLink(atPath: $0.libraryPath, withDestinationPath: WhyFixture.library().path)
    },
    Damage(name: "escaping path", stage: .entry, code: "escaping_path", rule: "R22", says: "leaves") {
      $0.entry["library"] = "../frozen.so"
    },
    Damage(name: "no regular file", stage: .bundle, code: "not_regular_file", rule: "R20", says: "no regular file") {
      try FileManager.default.removeItem(atPath: $0.libraryPath)
      try FileManager.default.createDirectory(atPath: $0.libraryPath, withIntermediateDirectories: false)
    },
    Damage(name: "wrong hash", stage: .bundle, code: "wrong_hash", rule: "R20", says: "SHA-256") {
      $0.entry["sha256"] = String(repeating: "ab", count: 32)
    },
    Damage(name: "no hash in a sealed registry", stage: .entry, code: "missing_hash", rule: "R20", says: "sha256") {
      try $0.changeBase { base in
        base["development"] = false
        base["drivers"] = [Any]()
        base["peripherals"] = [Any]()
      }
    },
    Damage(name: "missing asset", stage: .bundle, code: "unreadable_file", rule: "R22", says: "the asset \"t\"") {
      $0.entry["assets"] = [["name": "t", "file": "drivers/t.bin"]]
    },
    Damage(name: "changed asset", stage: .bundle, code: "wrong_hash", rule: "R20", says: "SHA-256") {
      try $0.write("drivers/t.bin", "abc")
      $0.entry["assets"] = [["name": "t", "file": "drivers/t.bin", "sha256": String(repeating: "ab", count: 32)]]
    },
    Damage(name: "no ELF file", stage: .bundle, code: "not_elf", rule: "R20", says: "ELF") {
      try $0.place(CompiledBundle.root.appending(path: "README.md"))
    },
    Damage(name: "other architecture", stage: .bundle, code: "wrong_architecture", rule: "R20", says: "machine") {
      try $0.place(CompiledBundle.patched(WhyFixture.library()) { $0[18] = 243 })
    },
    Damage(name: "no note", stage: .bundle, code: "missing_note", rule: "R20", says: "note") {
      try $0.place(CompiledBundle.make(defines: ["NO_NOTE"]))
    },
    Damage(name: "other major", stage: .bundle, code: "wrong_contract", rule: "R4", says: "contract 9.") {
      try $0.place(patchNote(0, 9))
    },
    Damage(name: "other layout", stage: .bundle, code: "wrong_contract", rule: "R4", says: "was built for contract") {
      try $0.place(patchNote(4, 0xee))
    },
    Damage(name: "other major in the registry", stage: .entry, code: "abi_mismatch", rule: "R4", says: "contract 9.0") {
      $0.entry["abi"] = ["major": 9, "minor": 0]
    },
    Damage(name: "other major in the table", stage: .driver, code: "broke_rule", rule: "R4", says: "contract 7.") {
      try $0.place(CompiledBundle.make(defines: ["OTHER_MAJOR"]))
    },
    Damage(name: "other layout in the table", stage: .driver, code: "broke_rule", rule: "R4", says: "contract") {
      try $0.place(CompiledBundle.make(defines: ["OTHER_LAYOUT"]))
    },
    Damage(name: "small table", stage: .driver, code: "broke_rule", rule: "R3", says: "bytes") {
      try $0.place(CompiledBundle.make(defines: ["SMALL_TABLE"]))
    },
    Damage(name: "extra export", stage: .bundle, code: "extra_symbol", rule: "R1", says: "mh_fixture_extra") {
      try $0.place(CompiledBundle.make(["drivers.c", "extra.c"], isMapped: false))
    },
    Damage(name: "no entry", stage: .bundle, code: "missing_symbol", rule: "R1", says: "mh_driver_entry") {
      try $0.place(CompiledBundle.make(["hollow.c"]))
    },
    Damage(name: "needed library", stage: .bundle, code: "forbidden_library", rule: "R20", says: "libx.so.6") {
      try $0.place(replace("libc.so.6", "libx.so.6", in: WhyFixture.library()))
    },
    Damage(name: "refuses this host", stage: .driver, code: "refused", rule: "R1", says: "not on a Monday") {
      try $0.place(CompiledBundle.make(defines: ["REFUSES"]))
    },
    Damage(name: "crashes at entry", stage: .driver, code: "crashed", rule: "R24", says: "SIGABRT") {
      try $0.place(CompiledBundle.make(defines: ["CRASHES_AT_ENTRY"]))
    },
    Damage(name: "no such driver", stage: .driver, code: "registry_disagrees", rule: "R19", says: "only good") {
      try $0.place(CompiledBundle.make())
    },
    Damage(name: "other version", stage: .driver, code: "registry_disagrees", rule: "R19", says: "says 1.0.1") {
      $0.entry["version"] = "1.0.1"
    },
    Damage(name: "claims more", stage: .driver, code: "registry_disagrees", rule: "R19", says: "offers") {
      $0.entry["capabilities"] = ["connect", "decode"]
    },
    Damage(name: "other signature", stage: .driver, code: "registry_disagrees", rule: "R19", says: "i32(i64,out_i64)") {
      $0.entry["functions"] = [["name": "twice", "signature": "i32(i64,out_f64)", "summary": ""]]
    },
    Damage(name: "no such function", stage: .driver, code: "registry_disagrees", rule: "R19", says: "thrice") {
      $0.entry["functions"] = [["name": "thrice", "signature": "i32(i64,out_i64)", "summary": ""]]
    },
    Damage(name: "unlisted function", stage: .driver, code: "registry_disagrees", rule: "R19", says: "not list") {
      $0.entry["functions"] = [Any]()
    },
    Damage(name: "unknown registry version", stage: .entry, code: "unknown_version", rule: "R22", says: "is 9") {
      $0.fragment["registry_version"] = 9
    },
    Damage(name: "wrong type", stage: .entry, code: "wrong_type", rule: "R22", says: "$.drivers[0].vendor") {
      $0.entry["vendor"] = 5
    },
    Damage(name: "unknown family", stage: .entry, code: "unknown_reference", rule: "R22", says: "family") {
      $0.entry["family"] = "nobody"
    },
  ]

  @Test(arguments: damages) func namesTheFirstRuleThatFails(damage: Damage) async throws {
    try await Sandbox.with { sandbox in
      var fixture = try WhyFixture(in: sandbox)
      try damage.make(&fixture)
      let why = try await fixture.why()
      let failed = why.candidates.filter { $0.verdict == .failed }
      let candidate = try #require(failed.first, "\(why)")
      #expect(why.answer == .refused && why.driver == WhyFixture.driver && failed.count == 1)
      #expect(candidate.stage == damage.stage && candidate.code == damage.code && candidate.rule == damage.rule)
      #expect(candidate.reason.contains(damage.says), "\(candidate.reason)")
      #expect(candidate.cure?.isEmpty == false && candidate.place.contains(sandbox.root.lastPathComponent))
      #expect(why.summary.contains(candidate.reason))
      // What was passed on the way stands before it, in the order in which the host decides.
      let stages = why.candidates.map(\.stage)
      let order = Candidate.Stage.allCases
      #expect(stages == stages.sorted { order.firstIndex(of: $0) ?? 0 < order.firstIndex(of: $1) ?? 0 })
    }
  }

  @Test func aGoodDriverIsUsable() async throws {
    try await Sandbox.with { sandbox in
      let why = try await WhyFixture(in: sandbox).why()
      #expect(why.answer == .usable && why.summary == "org.meterhost.frozen can be used", "\(why)")
      #expect(why.candidates.map(\.stage) == [.entry, .library, .bundle, .driver])
      #expect(why.candidates.allSatisfy { $0.verdict == .passed && $0.rule == nil && $0.cure == nil })
      #expect(why.candidates[0].place.contains("50-frozen.json:") && why.candidates[0].place.hasSuffix("$.drivers[0]"))
    }
  }

  @Test func everyShippedDriverIsUsable() async throws {
    let inquiry = WhyInquiry(locations: try GatewayFixture.locations())
    let gateway = try GatewayFixture.gateway()
    for driver in gateway.registry.drivers {
      let why = await inquiry.explain(driver.id)
      #expect(why.answer == .usable, "\(why)")
    }
  }

  @Test func unknownKeysAreWarnings() async throws {
    try await Sandbox.with { sandbox in
      var fixture = try WhyFixture(in: sandbox)
      fixture.entry["vendour"] = "x"
      let why = try await fixture.why()
      let warning = try #require(why.candidates.first { $0.verdict == .warning })
      #expect(why.answer == .usable && warning.code == "unknown_key" && warning.rule == "R22")
      #expect(warning.reason.contains("$.drivers[0].vendour") && warning.reason.contains("\"vendor\""))
    }
  }

  @Test func duplicatesAcrossFragmentsAreAllListed() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try WhyFixture(in: sandbox)
      try fixture.write("60-again.json", try fixture.text().replacing("900001", with: "900002"))
      try fixture.write("40-cut.json", "{\"registry_version\": 1, \"drivers\": [{\"id\": \"org.")
      let why = try await fixture.why()
      #expect(why.answer == .usable)
      let cut = try #require(why.candidates.first)
      #expect(cut.stage == .registry && cut.code == "invalid_json" && cut.verdict == .warning && cut.rule == "R22")
      #expect(cut.place.contains("40-cut.json:1:") && cut.reason.contains("cannot be said"))
      let again = try #require(why.candidates.first { $0.place.contains("60-again.json") })
      #expect(again.verdict == .failed && again.code == "duplicate_id" && again.reason.contains("50-frozen.json"))
    }
  }

  @Test func whatNobodyNamesIsUnknown() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try WhyFixture(in: sandbox)
      for target in ["org.example.nobody", "4711", "", "../x"] {
        let why = try await fixture.why(target)
        #expect(why.answer == .unknown && why.candidates.isEmpty && why.summary.contains("no file"), "\(why)")
      }
    }
  }

  @Test func aBrokenBaseStopsEverything() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try WhyFixture(in: sandbox)
      try fixture.changeBase { $0["registry_version"] = 2 }
      let why = try await fixture.why()
      #expect(why.answer == .unavailable && why.candidates.map(\.code) == ["unknown_version"])
      try fixture.changeBase { base in
        base["registry_version"] = 1
        var abi = base["abi"] as? [String: Any] ?? [:]
        abi["layout_hash"] = "0x0000000000000001"
        base["abi"] = abi
      }
      #expect(try await fixture.why().candidates.map(\.rule) == ["R19"])
      try FileManager.default.removeItem(atPath: sandbox.path("registry.json"))
      #expect(try await fixture.why().candidates.map(\.code) == ["unreadable_file"])
    }
  }

  @Test func aMissingWorkerHasItsCure() async throws {
    try await Sandbox.with { sandbox in
      let why = try await WhyFixture(in: sandbox).why(worker: "/nonexistent/worker")
      let last = try #require(why.candidates.last)
      #expect(why.answer == .refused && last.code == "worker_failed" && last.rule == "R24")
      #expect(last.reason.contains("/nonexistent/worker") && last.cure?.contains("--worker") == true)
    }
  }
}
