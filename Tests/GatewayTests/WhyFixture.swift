import Foundation
import MeterDrivers
import GatewayEngine
import GatewayTools
import TestSupport

/// A registry with fragments around the driver of Tests/Frozen/next, and each of its parts to be damaged.
struct WhyFixture {
  static let driver = "org.meterhost.frozen"
  static let peripheral: UInt32 = 900_001

  let sandbox: Sandbox
  var entry: [String: Any]
  var meter: [String: Any]
  /// The fragment around them.
  var fragment: [String: Any] = ["registry_version": 1]

  init(in sandbox: Sandbox) throws {
    self.sandbox = sandbox
    for folder in ["registry.d", "registry.d/drivers"] {
      try FileManager.default.createDirectory(atPath: sandbox.path(folder), withIntermediateDirectories: true)
    }
    try FileManager.default.copyItem(
      atPath: CompiledBundle.root.appending(path: "registry.json").path, toPath: sandbox.path("registry.json"))
    let version = ContractVersion.host
    entry = [
      "id": Self.driver, "version": "1.0.0", "vendor": "MeterHost", "license": "MIT", "family": "frozen",
      "library": "drivers/frozen.so", "abi": ["major": Int(version.major), "minor": Int(version.minor)],
      "capabilities": ["connect", "advertisement_only", "decode"],
      "functions": [["name": "twice", "signature": "i32(i64,out_i64)", "summary": "Twice a number."]],
    ]
    meter = [
      "id": Int(Self.peripheral), "kind": "bluetooth", "name": "Frozen meter", "manufacturer": "Maker", "model": "M1",
      "type": "glucose_meter", "requires_pairing": false, "instructions": "Press.", "connection_kind": "connect",
      "supported_since": "0.1.0", "maturity": "alpha", "stored_history": true, "passive": "yes",
      "announces_before_measurement": false, "driver": Self.driver,
      "match": [["services": ["1808"], "name_prefix": "FROZEN-"]],
      "services": [
        ["uuid": "1808", "required": true, "characteristics": [["uuid": "2A18", "required": true]]]
      ],
    ]
    try place(try Self.library())
  }

  static func library(defines: [String] = []) throws -> URL {
    try CompiledBundle.compile(
      CompiledBundle.root.appending(path: "Tests/Frozen/next/driver.c"),
      include: CompiledBundle.root.appending(path: "SDK/include"), isBundle: true, defines: defines)
  }

  var libraryPath: String { sandbox.path("registry.d/drivers/frozen.so") }

  /// Puts a library where the entry says.
  func place(_ library: URL) throws {
    try? FileManager.default.removeItem(atPath: libraryPath)
    try FileManager.default.copyItem(atPath: library.path, toPath: libraryPath)
  }

  /// The fragment as it stands.
  func text() throws -> String {
    var all = fragment
    all["families"] = [["id": "frozen", "name": "Frozen"]]
    all["drivers"] = [entry]
    all["peripherals"] = [meter]
    let data = try JSONSerialization.data(withJSONObject: all, options: [.sortedKeys, .prettyPrinted])
    return String(decoding: data, as: UTF8.self)
  }

  func write(_ name: String, _ text: String) throws { _ = try sandbox.file("registry.d/\(name)", text) }

  /// Changes registry.json.
  func changeBase(_ change: (inout [String: Any]) -> Void) throws {
    let url = URL(filePath: sandbox.path("registry.json"))
    var base = try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any] ?? [:]
    change(&base)
    try JSONSerialization.data(withJSONObject: base).write(to: url)
  }

  func locations(worker: String? = nil) throws -> GatewayLocations {
    var settings = GatewayLocations.Settings()
    settings.registry = sandbox.path("registry.json")
    settings.fragments = sandbox.path("registry.d")
    settings.worker = try worker ?? Installation.shared().worker.path
    settings.state = sandbox.path("state")
    return GatewayLocations(settings: settings)
  }

  /// Writes the fragment and asks.
  func why(_ target: String = driver, worker: String? = nil) async throws -> DriverWhy {
    try write("50-frozen.json", try text())
    return try await ask(target, worker: worker)
  }

  func ask(_ target: String = driver, worker: String? = nil) async throws -> DriverWhy {
    await WhyInquiry(locations: try locations(worker: worker)).explain(target)
  }
}
