import Foundation
import TestSupport
import Testing

/// scripts/check-abi notices every change that a bundle of a frozen version would not survive, and no other.
@Suite("R2 R3 R4 guard of the contract", .enabled(if: Tool.isThere("python3") && Tool.isThere("clang")))
struct ContractGuardTests {
  private static let script = CompiledBundle.root.appending(path: "scripts/check-abi").path

  private func check(_ headers: URL? = nil) throws -> (status: Int32, output: String) {
    try Tool.run([Self.script] + (headers.map { [$0.path] } ?? []), in: CompiledBundle.root)
  }

  /// A copy of folders of the tree for the time of a call.
  private func copying<Result>(_ paths: [String], _ body: (URL) throws -> Result) throws -> Result {
    let copy = FileManager.default.temporaryDirectory.appending(path: "guard-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: copy) }
    for path in paths {
      let target = copy.appending(path: path)
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: CompiledBundle.root.appending(path: path), to: target)
    }
    return try body(copy)
  }

  private func change(_ file: URL, _ from: String, _ to: String) throws {
    let text = try String(contentsOf: file, encoding: .utf8)
    let range = try #require(text.firstRange(of: from), "\(from) is not there")
    try text.replacingCharacters(in: range, with: to).write(to: file, atomically: true, encoding: .utf8)
  }

  @Test func todaysHeadersHoldWhatWasPromised() throws {
    let done = try check()
    #expect(done.status == 0, "\(done.output)")
    for contract in FrozenContract.frozen { #expect(done.output.contains(contract.name)) }
  }

  @Test func aLaterMinorThatOnlyGrowsIsFine() throws {
    let done = try check(LaterMinor.headers.get().include)
    #expect(done.status == 0, "\(done.output)")
  }

  /// Another major promises nothing to bundles of this one.
  @Test func anotherMajorBeginsAnew() throws {
    let done = try check(LaterMinor.nextMajor.get().include)
    #expect(done.status == 0, "\(done.output)")
  }

  static let changes: [(header: String, from: String, to: String, said: String)] = [
    ("record.h", "  int64_t raw;\n} mh_value;", "  uint64_t raw;\n} mh_value;", "mh_value.raw was int64_t at 16"),
    (
      "record.h", "  int64_t raw;\n} mh_value;", "  int64_t raw;\n  uint64_t more;\n} mh_value;", "mh_value has changed"
    ),
    ("record.h", "  uint16_t ident_class;\n", "  uint8_t ident_class;\n  uint8_t more;\n", "mh_record.ident_class was"),
    ("bluetooth.h", "  uint16_t mtu;\n", "  uint16_t size;\n", "mh_event.mtu was uint16_t at"),
    ("bluetooth.h", "  uint32_t n_characteristics;\n} mh_event;", "} mh_event;", "mh_event.n_characteristics was"),
    (
      "bluetooth.h", "  mh_bytes value;\n  mh_str text;\n", "  mh_str text;\n  mh_bytes value;\n", "mh_action.value was"
    ),
    ("bluetooth.h", "#define MH_EV_DISCONNECTED 15u", "#define MH_EV_DISCONNECTED 18u", "MH_EV_DISCONNECTED was 15"),
    ("bluetooth.h", "#define MH_DO_FAIL 14u\n", "", "MH_DO_FAIL was 14"),
    ("output.h", "  uint64_t cap_texts;\n", "  int64_t cap_texts;\n", "mh_sink.cap_texts was uint64_t"),
    ("output.h", "#define MH_RECORDS_MAX 4096u", "#define MH_RECORDS_MAX 8192u", "MH_RECORDS_MAX was 4096"),
    ("driver.h", "#include \"sink.h\"\n", "", "driver.h no longer leads to mh_sink_act"),
    ("sink.h", "#include \"bluetooth.h\"", "#include \"output.h\"", "sink.h no longer leads to MH_ACTIONS_MAX"),
    ("driver.h", "#define MH_CAP_DECODE 0x4u", "#define MH_CAP_DECODE (1u << 3)", "MH_CAP_DECODE was 4"),
    ("abi.h", "#define MH_E_FULL (-4)", "#define MH_E_FULL (-40)", "MH_E_FULL was"),
    (
      "metrics.h", "#define MH_METRIC_BLOOD_GLUCOSE 1u", "#define MH_METRIC_BLOOD_GLUCOSE 9001u",
      "MH_METRIC_BLOOD_GLUCOSE was 1"
    ),
    (
      "abi.h", "mh_uuid_short(const mh_uuid *uuid)", "mh_uuid_short(const mh_uuid *uuid, int full)",
      "mh_uuid_short was uint16_t"
    ),
    (
      "crypto.h", "#define MH_EXT_CRYPTO \"meterhost.crypto/1\"", "#define MH_EXT_CRYPTO \"meterhost.crypto/2\"",
      "MH_EXT_CRYPTO was"
    ),
  ]

  @Test(arguments: 0..<changes.count) func everyOtherChangeIsNamed(index: Int) throws {
    let (header, from, to, said) = Self.changes[index]
    try copying(["SDK/include"]) { tree in
      try change(tree.appending(path: "SDK/include/meterhost/\(header)"), from, to)
      let done = try check(tree.appending(path: "SDK/include"))
      #expect(done.status == 1 && done.output.contains(said), "\(done.output)")
    }
  }

  static let tampering: [(file: String, from: String, to: String, said: String)] = [
    ("Tests/Frozen/1.0/layout.json", "\"MH_EV_TIMER\": 11", "\"MH_EV_TIMER\": 12", "layout.json was changed"),
    (
      "Tests/Frozen/1.0/include/meterhost/bluetooth.h", "#define MH_EV_TIMER 11u", "#define MH_EV_TIMER 12u",
      "MH_EV_TIMER was 12"
    ),
    (
      "Tests/Frozen/1.0/include/meterhost/record.h", "  int64_t raw;\n", "  uint64_t raw;\n", "its headers were changed"
    ),
    (
      "registry.json", "\"layout_hash\": \"0x361991d08b4991ed\",\n        \"sizes\"",
      "\"layout_hash\": \"0x361991d08b4991ee\",\n        \"sizes\"", "registry.json knows it by 0x361991d08b4991ee"
    ),
  ]

  @Test(arguments: 0..<tampering.count) func aFrozenCopyThatWasChangedIsNoticed(index: Int) throws {
    let (file, from, to, said) = Self.tampering[index]
    try copying(["SDK/include", "scripts", "registry.json", "Tests/Frozen"]) { tree in
      try change(tree.appending(path: file), from, to)
      let done = try Tool.run([tree.appending(path: "scripts/check-abi").path], in: tree)
      #expect(done.status == 1 && done.output.contains(said), "\(done.output)")
    }
  }

  private static let report = CompiledBundle.root.appending(path: "scripts/abi-report").path

  @Test(.enabled(if: Tool.isThere("abidiff"))) func theReportNamesWhatHasChanged() throws {
    let none = try Tool.run([Self.report], in: CompiledBundle.root)
    #expect(none.status == 0 && none.output.contains("contract 1.0 -> this tree"))
    let old = FrozenContract.headers
    let grown = try Tool.run([Self.report, old.path, LaterMinor.headers.get().include.path], in: CompiledBundle.root)
    #expect(grown.status == 0 && grown.output.contains("+ MH_EV_PHY 40u"), "\(grown.output)")
    #expect(grown.output.contains("'struct mh_event' changed") && grown.output.contains("'uint64_t phy'"))
    let bundles = try [old, LaterMinor.headers.get().include].map {
      try CompiledBundle.compile(
        CompiledBundle.root.appending(path: "Tests/Fixtures/VersionSkew/driver.c"), include: $0, isBundle: true)
    }
    let bundle = try Tool.run([Self.report] + bundles.map(\.path), in: CompiledBundle.root)
    #expect(bundle.output.contains("+ org.meterhost.skew capabilities 0x9"), "\(bundle.output)")
    #expect(bundle.output.contains("- org.meterhost.skew capabilities 0x1"))
    let same = try Tool.run([Self.report, bundles[0].path, bundles[0].path], in: CompiledBundle.root)
    #expect(same.output.contains("no change"))
  }

  @Test func aFrozenVersionWithoutItsCopyIsNoticed() throws {
    try copying(["SDK/include", "scripts", "registry.json", "Tests/Frozen/README.md"]) { tree in
      let done = try Tool.run([tree.appending(path: "scripts/check-abi").path], in: tree)
      #expect(done.status == 1 && done.output.contains("Tests/Frozen has no copy of it"), "\(done.output)")
    }
  }
}
