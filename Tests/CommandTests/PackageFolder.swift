import GatewayAPI
import Foundation
import GatewayEngine
import TestSupport

/// A drop-in folder of its own, a publisher's key, and packages of the example scale, made by the program itself.
struct PackageFolder: Sendable {
  let sandbox: Sandbox
  var fragments: String { sandbox.path("etc/registry.d") }
  var key: String { sandbox.path("publisher.key") }
  var environment: [String: String] { ["METERHOST_REGISTRY_FRAGMENTS": fragments] }

  init(in sandbox: Sandbox) async throws {
    self.sandbox = sandbox
    try FileManager.default.createDirectory(atPath: fragments, withIntermediateDirectories: true)
    _ = try await run(["key", "make", key])
  }

  /// Runs `meterhost driver`.
  func run(_ arguments: [String]) async throws -> Outcome {
    try await Program.run(["driver"] + arguments, in: sandbox, environment: environment)
  }

  /// The public key.
  func publicKey() async throws -> String {
    try await run(["key", "show", key]).out.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Puts the publisher on the trust list.
  func trust() async throws {
    let added = try await run(
      ["trust", "add", "example", "--name", "Example Ltd", "--key", try await publicKey(), "--drivers", "org.example."])
    guard added.status == 0 else { throw Program.Gone(wanted: "trust", outcome: added) }
  }

  /// Packs and signs a version; gives the file.
  func package(_ version: String, isSigned: Bool = true) async throws -> String {
    let folder = try ScaleFolder(
      sandbox.root.appending(path: "src-\(UUID().uuidString)"), version: version, isForeign: true)
    let file = sandbox.path("scale-\(version)\(isSigned ? "" : "-unsigned").mhdriver")
    let packed = try await run(["pack", folder.url.path, "--output", file])
    guard packed.status == 0 else { throw Program.Gone(wanted: "package", outcome: packed) }
    if isSigned {
      let signed = try await run(["sign", file, "--key", key])
      guard signed.status == 0 else { throw Program.Gone(wanted: "signature", outcome: signed) }
    }
    return file
  }

  /// A gateway of this process over the folder.
  func gateway() throws -> Gateway {
    var settings = GatewayLocations.Settings()
    let installation = try Installation.shared()
    (settings.registry, settings.worker) = (installation.registry.path, installation.worker.path)
    (settings.fragments, settings.state) = (fragments, sandbox.path("state"))
    return try Gateway(locations: GatewayLocations(settings: settings))
  }

  /// The version that the registry has, whose bundle must be loadable; nil: none.
  func version() throws -> String? {
    let gateway = try gateway()
    let drivers = try gateway.driverList()
    guard let driver = drivers.first(where: { $0.id == ScaleFolder.id && $0.isEnabled }) else { return nil }
    let report = gateway.verify(ScaleFolder.id)
    return report.passed ? "\(driver.version)" : "refused: \(report.message ?? "")"
  }
}
