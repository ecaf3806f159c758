import Foundation
import MeterConformance
import TestSupport

/// A fixture as a bundle's folder, built with one macro: how an author's folder looks.
struct FixtureBundle {
  /// Which driver, and what lies beside it.
  enum Source: String {
    /// A scale that indicates its memory.
    case scale
    /// The thermometer of docs/examples/asking-meter, which answers questions.
    case asking
  }

  let folder: URL
  private let source: Source

  /// - Parameters:
  ///   - defines: What the driver does wrong.
  ///   - change: Changes the fragment, the meter or the vectors, by file name.
  init(
    _ defines: [String] = [], source: Source = .scale, change: (String, String) throws -> String = { $1 }
  ) throws {
    self.source = source
    let library = try CompiledBundle.compile(
      CompiledBundle.root.appending(path: "Tests/Fixtures/Nonconforming/\(source.rawValue).c"),
      include: CompiledBundle.root.appending(path: "SDK/include"), isBundle: true, defines: defines)
    folder = FileManager.default.temporaryDirectory.appending(path: "mh-kit-\(UUID().uuidString.prefix(12))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: library, to: folder.appending(path: "lib\(source.rawValue).so"))
    let own = ["fragment.json": Self.fragment, "meter.json": Self.meter, "vectors.json": Self.vectors]
    for (name, text) in own {
      let example = CompiledBundle.root.appending(path: "docs/examples/asking-meter/\(name)")
      let text = source == .scale ? text : try String(contentsOf: example, encoding: .utf8)
      try Data(try change(name, text).utf8).write(to: folder.appending(path: name))
    }
  }

  var library: URL { folder.appending(path: "lib\(source.rawValue).so") }
  var meter: URL { folder.appending(path: "meter.json") }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  /// Runs the suite over the folder, and removes it.
  func test(
    rules: Set<Rule> = [], seed: UInt64 = 1, isThorough: Bool = false
  ) async throws -> ConformanceReport {
    defer { remove() }
    return try await ConformanceSuite(target(folder.path), rules: rules, seed: seed, isThorough: isThorough).run()
  }

  /// The same of rules by their names.
  func test(_ rule: String, _ more: String..., isThorough: Bool = false) async throws -> ConformanceReport {
    try await test(rules: Set(([rule] + more).compactMap { Rule($0) }), isThorough: isThorough)
  }

  func target(_ name: String, meters: [String] = []) -> ConformanceTarget {
    ConformanceTarget(
      name, registry: CompiledBundle.root.appending(path: "registry.json").path, worker: BuildProducts.worker.path,
      meters: meters)
  }

  private static let fragment = #"""
    {"registry_version": 1, "families": [{"id": "conforming-scale", "name": "Conforming scales"}],
     "drivers": [{"id": "org.example.conforming", "version": "1.0.0", "vendor": "Example", "license": "MIT",
       "family": "conforming-scale", "library": "libscale.so", "abi": {"major": 1, "minor": 0},
       "capabilities": ["connect", "decode"]}],
     "peripherals": [{"id": 910099, "kind": "bluetooth", "name": "Conforming scale", "manufacturer": "Example",
       "model": "C1", "type": "weight_scale", "requires_pairing": false, "instructions": "Wake the scale up.",
       "reading_instructions": "Step on the scale.", "connection_kind": "connect", "supported_since": "0.1.0",
       "maturity": "alpha", "stored_history": true, "passive": "no", "announces_before_measurement": false,
       "driver": "org.example.conforming", "match": [{"services": ["181D"], "name_prefix": "EX-C1"}],
       "services": [{"uuid": "181D", "required": true,
         "characteristics": [{"uuid": "2A9D", "required": true}]}]}]}
    """#

  private static let meter = #"""
    {"name": "Conforming scale", "manufacturer": "Example", "address": "C0:FF:EE:00:51:99",
     "advertisement": {"services": ["181D"], "local_name": "EX-C1"},
     "services": [
       {"uuid": "181D", "characteristics": [{"uuid": "2A9D", "properties": ["indicate"]}]},
       {"uuid": "180F", "characteristics": [{"uuid": "2A19", "properties": ["read"], "value": "63"}]},
       {"uuid": "180A", "characteristics": [{"uuid": "2A24", "properties": ["read"], "text": "C1"}]}],
     "behaviour": {"kind": "indicate-on-connect", "characteristic": "2A9D", "resend_all": true},
     "records": [{"measurement": "02dc37e807030a071e00"}, {"measurement": "02c837e807030b071f00"},
                 {"measurement": "02b437e807030c072000"}]}
    """#

  private static let vectors = #"""
    [{"id": "timed", "characteristic": "2A9D", "hex": "02dc37e807030a071e00", "error": null,
      "records": [{"kind": "measurement", "sequence": null,
        "values": [{"metric": "body_weight", "value": 71.5, "unit": "kg", "qualifier": "exact"}]}]},
     {"id": "plain", "characteristic": "2A9D", "hex": "00c837", "error": null,
      "records": [{"kind": "measurement", "sequence": null,
        "values": [{"metric": "body_weight", "value": 71.4, "unit": "kg", "qualifier": "exact"}]}]},
     {"id": "filler", "characteristic": "2A9D", "hex": "00ffff", "error": "no_value", "records": []},
     {"id": "short", "characteristic": "2A9D", "hex": "02c837", "error": "malformed", "records": []}]
    """#
}
