import Foundation
import TestSupport
import Testing

/// scripts/freeze, run over a copy of the tree whose contract is made 7.0.
@Suite("R4 freezing", .enabled(if: Tool.isThere("python3") && Tool.isThere("clang"))) struct FreezeScriptTests {
  private func copyOfTheTree(_ body: (URL) throws -> Void) throws {
    let copy = FileManager.default.temporaryDirectory.appending(path: "freeze-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: copy) }
    for path in [
      "SDK/include", "scripts", "registry.json", "Tests/Frozen/next",
      "Sources/MeterCore/Records/Dictionary+Generated.swift",
      "Sources/InformSink/Wire/InformName+Generated.swift",
      "Sources/DriverContract/Version/ContractVersion+Generated.swift",
    ] {
      let target = copy.appending(path: path)
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: CompiledBundle.root.appending(path: path), to: target)
    }
    try body(copy)
  }

  private func change(_ file: String, in tree: URL, _ change: (String) throws -> String) throws {
    let url = tree.appending(path: file)
    try change(String(contentsOf: url, encoding: .utf8)).write(to: url, atomically: true, encoding: .utf8)
  }

  private func setVersion(_ major: Int, _ minor: Int, in tree: URL) throws {
    try change("SDK/include/meterhost/abi.h", in: tree) { text in
      text.replacing(/MH_ABI_MAJOR \d+u/, with: "MH_ABI_MAJOR \(major)u")
        .replacing(/MH_ABI_MINOR \d+u/, with: "MH_ABI_MINOR \(minor)u")
    }
  }

  private func run(_ script: String, in tree: URL) throws -> (status: Int32, output: String) {
    try Tool.run([tree.appending(path: "scripts/\(script)").path], in: tree)
  }

  private func history(in tree: URL) throws -> [[String: Any]] {
    let data = try Data(contentsOf: tree.appending(path: "registry.json"))
    let registry = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    return (registry?["abi"] as? [String: Any])?["history"] as? [[String: Any]] ?? []
  }

  private func listDrivers(for major: Int, in tree: URL) throws {
    try change("registry.json", in: tree) { text in
      let start = try #require(text.range(of: "\"drivers\": ["))
      let drivers = text[start.lowerBound...].replacing(
        /"abi": \{\s*"major": \d+,\s*"minor": \d+/, with: "\"abi\": {\"major\": \(major), \"minor\": 0")
      return String(text[..<start.lowerBound] + drivers)
    }
  }

  @Test func aFrozenVersionIsKeptAndCannotChange() throws {
    try copyOfTheTree { tree in
      try setVersion(0, 9, in: tree)
      let draft = try run("freeze", in: tree)
      #expect(draft.status == 1 && draft.output.contains("0.9 is a draft"))
      try setVersion(7, 0, in: tree)
      let early = try run("freeze", in: tree)
      #expect(early.status == 1 && early.output.contains("org.meterhost.glucose"))
      try listDrivers(for: 7, in: tree)
      let done = try run("freeze", in: tree)
      #expect(done.status == 0, "\(done.output)")
      let folder = tree.appending(path: "Tests/Frozen/7.0")
      for file in [
        "driver.c", "driver.h", "driver_output.c", "host.c", "host.h", "host_output.c", "layout.json",
        "include/meterhost/driver.h", "include/meterhost/layout.h", "include/meterhost/output.h",
      ] {
        #expect(FileManager.default.fileExists(atPath: folder.appending(path: file).path), "\(file)")
      }
      let entry = try #require(try history(in: tree).last)
      let layout = try JSONDecoder().decode(
        ContractLayout.self, from: Data(contentsOf: folder.appending(path: "layout.json")))
      #expect(layout.dictionary?.metrics.first { $0.code == 1 }?.name == "blood_glucose")
      #expect(layout.dictionary?.units.first { $0.code == 3 }?.ucum == "mmol/L")
      #expect(layout.violations(of: layout).isEmpty && layout.dictionary?.metrics.count ?? 0 > 50)
      #expect(entry["major"] as? Int == 7 && entry["layout_hash"] as? String == layout.layoutHash)
      let swift = try String(
        contentsOf: tree.appending(path: "Sources/DriverContract/Version/ContractVersion+Generated.swift"),
        encoding: .utf8)
      #expect(swift.contains("major: 7, minor: 0, layoutHash: \(layout.layoutHash)"))
      #expect(try run("freeze", in: tree).output.contains("frozen already"))
      // The frozen headers stand by themselves: driver and host compile with them and understand each other.
      let contract = FrozenContract(name: "7.0", folder: folder, include: folder.appending(path: "include"))
      let answer = try contract.run(contract.driverFile(), ["slice 2A18 00140500640000003700ff00", "decode 1"])
      #expect(answer.status == 0 && answer.lines.last == "status 0", "\(answer.lines)")

      try change("SDK/include/meterhost/driver.h", in: tree) {
        $0.replacing("MH_CAP_DECODE 0x4u", with: "MH_CAP_DECODE 0x8u")
      }
      let refused = try run("generate", in: tree)
      #expect(refused.status == 1 && refused.output.contains("7.0 is frozen"))
    }
  }

  /// 7.1 grows a table: 7.0 stays as it is, the least sizes are still those of 7.0, and a 7.0 driver runs under a 7.1 host.
  @Test func theNextMinorGrowsBesideIt() throws {
    try copyOfTheTree { tree in
      try setVersion(7, 0, in: tree)
      try listDrivers(for: 7, in: tree)
      #expect(try run("freeze", in: tree).status == 0)
      try setVersion(7, 1, in: tree)
      try change("SDK/include/meterhost/bluetooth.h", in: tree) {
        $0.replacing(
          "  mh_bytes value;\n  mh_str text;\n} mh_action;",
          with: "  mh_bytes value;\n  mh_str text;\n  uint64_t more;\n} mh_action;"
        )
        .replacing(
          "                    uint64_t *n_done);\n} mh_bluetooth;",
          with: "                    uint64_t *n_done);\n  void (*more)(void);\n} mh_bluetooth;"
        )
        .replacing(
          "  uint32_t n_characteristics;\n} mh_event;",
          with: "  uint32_t n_characteristics;\n  uint64_t more;\n} mh_event;"
        )
        .replacing(
          "  const mh_param *params;\n} mh_open;", with: "  const mh_param *params;\n  uint64_t more;\n} mh_open;")
      }
      try change("SDK/include/meterhost/output.h", in: tree) {
        $0.replacing("  void *ctx;\n} mh_sink;", with: "  void *ctx;\n  uint64_t more;\n} mh_sink;")
      }
      let done = try run("freeze", in: tree)
      #expect(done.status == 0, "\(done.output)")
      #expect(try history(in: tree).filter { $0["major"] as? Int == 7 }.count == 2)
      func layout(_ name: String) throws -> ContractLayout {
        try JSONDecoder().decode(
          ContractLayout.self, from: Data(contentsOf: tree.appending(path: "Tests/Frozen/\(name)/layout.json")))
      }
      let (old, new) = (try layout("7.0"), try layout("7.1"))
      #expect(new.structs.first { $0.name == "mh_action" }?.size == 80 && old.layoutHash != new.layoutHash)
      #expect(new.violations(of: old).isEmpty && !old.violations(of: new).isEmpty)
      let swift = try String(
        contentsOf: tree.appending(path: "Sources/DriverContract/Version/ContractVersion+Generated.swift"),
        encoding: .utf8)
      #expect(swift.contains("bluetooth: UInt32 = 40") && swift.contains("action: UInt32 = 72"))
      let contracts = ["7.0", "7.1"].map { name in
        let folder = tree.appending(path: "Tests/Frozen/\(name)")
        return FrozenContract(name: name, folder: folder, include: folder.appending(path: "include"))
      }
      // An old driver under a new host; a new driver reads and writes only what its host's tables have. Both say what the
      // first ones said to each other.
      let script = [
        "slice 2A18 00140500640000003700ff00", "decode 1", "open 1 peripheral=1", "event 1 mtu=23",
        "services 1808 3:10:2A18 5:20:2A19", "event 7 handle=3 hex=3200", "event 99", "event 14", "close",
      ]
      let first = try contracts[0].run(contracts[0].driverFile(), script)
      #expect(first.lines.first == "driver org.meterhost.frozen 1.0.0 capabilities=7 functions=1", "\(first.lines)")
      #expect(first.status == 0 && first.lines.contains { $0.hasPrefix("action 13 ") }, "\(first.lines.suffix(3))")
      for (host, driver) in [(1, 0), (0, 1), (1, 1)] {
        let answer = try contracts[host].run(contracts[driver].driverFile(), script)
        #expect(answer.status == 0 && answer.lines == first.lines, "a host of 7.\(host) and a driver of 7.\(driver)")
      }
    }
  }
}
