import Foundation
import TestSupport
import Testing

/// A registry fragment with a driver that crashes as soon as it is connected, and in its self-test, for the meters of entry
/// 1000.
enum CrashingDriver {
  static let id = "org.example.recorded"
  static let peripheral = "30001"
  /// A meter that entry 1000 fits.
  static let meter = "contour-next-one.json"

  /// - Parameter bundle: Another bundle with a driver of this id.
  /// - Returns: The environment in which the program knows it.
  static func install(in sandbox: Sandbox, bundle: URL? = nil) async throws -> [String: String] {
    let folder = sandbox.root.appending(path: "registry.d")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let library = folder.appending(path: "librecorded.so")
    let crashing = ["CRASHES_WHEN_CONNECTED", "ID=\"\(id)\""]
    try FileManager.default.copyItem(
      at: bundle ?? CompiledBundle.make(["recorded.c"], defines: crashing), to: library)
    let verified = try await Program.run(["driver", "verify", library.path, "--json"], in: sandbox)
    let registry = try JSONSerialization.jsonObject(with: Data(contentsOf: Installation.shared().registry))
    let base = try #require(registry as? [String: Any])
    let entries = base["peripherals"] as? [[String: Any]] ?? []
    var entry = try #require(entries.first { $0["id"] as? Int == 1000 })
    (entry["id"], entry["name"], entry["driver"]) = (30_001, "A meter whose driver crashes", id)
    let drivers = base["drivers"] as? [[String: Any]] ?? []
    var driver = try #require(
      drivers.first { $0["id"] as? String == entries.first { $0["id"] as? Int == 1000 }?["driver"] as? String })
    for key in ["metrics", "limits", "assets"] { driver[key] = nil }
    (driver["id"], driver["version"], driver["vendor"]) = (id, "1.0.0", "tests")
    (driver["library"], driver["capabilities"]) = ("librecorded.so", ["connect"])
    driver["functions"] = [["name": "self_test", "signature": "i32(out_text)", "summary": "Crashes."]]
    driver["sha256"] = try #require(try verified.objects().first?["sha256"])
    let fragment = ["registry_version": 1, "drivers": [driver], "peripherals": [entry]] as [String: Any]
    try JSONSerialization.data(withJSONObject: fragment).write(to: folder.appending(path: "50-crash.json"))
    return ["METERHOST_REGISTRY_FRAGMENTS": folder.path]
  }
}
