import Foundation
import MeterConformance
import MeterDrivers
import TestSupport
import Testing

/// Rule R17: drivers of displays and of pictures, which have neither sessions nor values to decode.
@Suite("The suite over drivers of displays", .timeLimit(.minutes(60))) struct DisplayConformanceTests {
  private static let draft = Set([Rule("R17")].compactMap { $0 })

  /// What Tests/Fixtures/Displays does wrong for a meter of this number, and the check that says so.
  struct Offence: Sendable, CustomTestStringConvertible {
    let meter: UInt32
    let check: String
    let status: CheckStatus

    var testDescription: String { "\(meter) \(check)" }
  }

  static let offences = [
    Offence(meter: 1, check: "nothing", status: .failed), Offence(meter: 1, check: "unknown-meter", status: .failed),
    Offence(meter: 102, check: "layouts", status: .failed), Offence(meter: 109, check: "layouts", status: .failed),
    Offence(meter: 200, check: "frames", status: .failed), Offence(meter: 221, check: "frames", status: .crashed),
    Offence(meter: 304, check: "texts", status: .failed), Offence(meter: 223, check: "again", status: .failed),
    Offence(meter: 316, check: "texts", status: .failed),
  ]

  @Test("drivers of displays and of pictures keep every rule", arguments: ["segment-display", "image-codec"])
  func shipped(bundle: String) async throws {
    let staged = try StagedDrivers.shared.get()
    let target = ConformanceTarget(
      "org.meterhost.\(bundle)", registry: staged.registry, worker: BuildProducts.worker.path)
    let report = try await ConformanceSuite(target).run()
    #expect(report.passed, "\(report.bad)")
    let checks = report.results.filter { $0.rule.description == "R17" }
    let expected =
      bundle == "image-codec" ? ["pictures"] : ["layouts", "unknown-meter", "frames", "nothing", "again", "texts"]
    #expect(checks.map(\.check) == expected && checks.allSatisfy { $0.status == .passed }, "\(checks)")
  }

  @Test("a driver that breaks the rule is told how", arguments: offences)
  func offence(offence: Offence) async throws {
    let folder = try Self.folder(meter: offence.meter)
    defer { try? FileManager.default.removeItem(at: folder) }
    let target = ConformanceTarget(
      folder.path, registry: CompiledBundle.root.appending(path: "registry.json").path,
      worker: BuildProducts.worker.path)
    let report = try await ConformanceSuite(target, rules: Self.draft).run()
    let found = report.results.filter { $0.check == offence.check }
    #expect(found.map(\.status) == [offence.status], "\(report.results)")
    #expect(found.allSatisfy { $0.found?.isEmpty == false && $0.mend?.isEmpty == false })
    #expect(found.allSatisfy { $0.place != nil }, "\(found)")
  }

  /// Pictures that the fixture's other driver encodes are none that it decodes.
  @Test("a driver of pictures that does not read its own is told so") func pictures() async throws {
    let folder = try Self.folder(meter: 1, driver: "org.example.images", extension: "meterhost.image/1-draft")
    defer { try? FileManager.default.removeItem(at: folder) }
    let target = ConformanceTarget(
      folder.path, registry: CompiledBundle.root.appending(path: "registry.json").path,
      worker: BuildProducts.worker.path)
    let report = try await ConformanceSuite(target, rules: Self.draft).run()
    #expect(
      report.results.map(\.check) == ["pictures"] && report.results.map(\.status) == [.failed], "\(report.results)")
  }

  /// The fixture's driver of displays as an author's folder, with one meter; or its driver of pictures.
  private static func folder(
    meter: UInt32, driver: String = "org.example.display", extension: String = "meterhost.ocr/1-draft"
  ) throws -> URL {
    let library = try CompiledBundle.make(["entry.c", "display.c", "images.c"], in: "Displays", defines: [])
    let folder = FileManager.default.temporaryDirectory.appending(path: "mh-kit-\(UUID().uuidString.prefix(12))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: library, to: folder.appending(path: "libdisplays.so"))
    try Data("mhsw".utf8).write(to: folder.appending(path: "weights"))
    try Data("<svg/>".utf8).write(to: folder.appending(path: "frame.svg"))
    let display = #"""
      {"id": \#(meter), "kind": "ocr", "name": "Example display", "manufacturer": "Example",
       "model": "D1", "type": "glucose_meter", "requires_pairing": false, "instructions": "Switch it on.",
       "reading_instructions": "Hold the camera above it.", "connection_kind": "camera",
       "supported_since": "0.1.0", "maturity": "alpha", "stored_history": false, "passive": "no",
       "announces_before_measurement": false, "driver": "org.example.display", "match": [], "services": []}
      """#
    let fragment = #"""
      {"registry_version": 1, "families": [{"id": "example-displays", "name": "Displays"}],
       "drivers": [{"id": "\#(driver)", "version": "1.0.0", "vendor": "Example", "license": "MIT",
         "family": "example-displays", "library": "libdisplays.so", "abi": {"major": 1, "minor": 0},
         "assets": [{"name": "weights", "file": "weights"}, {"name": "frame", "file": "frame.svg"}],
         "capabilities": [], "extensions": ["\#(`extension`)"]}],
       "peripherals": [\#(driver == "org.example.display" ? display : "")]}
      """#
    try Data(fragment.utf8).write(to: folder.appending(path: "fragment.json"))
    return folder
  }
}
