import Foundation
import GatewayEngine
import MeterCore
import MeterDrivers
import TestSupport

@testable import GatewayTools

/// A gateway with the example scale installed, and a publisher with a folder of newer versions.
struct UpdateFixture {
  static let day: Int64 = 86_400_000_000

  let sandbox: Sandbox
  let locations: GatewayLocations
  let key: String
  /// What the publisher serves.
  let folder: String
  let now = MeterStore.wallClockMicroseconds

  init(in sandbox: Sandbox) throws {
    self.sandbox = sandbox
    var locations = try GatewayFixture.locations(state: sandbox.path("state"))
    locations.fragments = sandbox.path("etc/registry.d")
    locations.trust = sandbox.path("etc/trust.json")
    self.locations = locations
    key = sandbox.path("publisher.key")
    folder = sandbox.path("public")
    for path in [sandbox.path("etc/registry.d"), folder] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    let pair = PublisherKeyPair()
    try pair.write(to: key)
    _ = try GatewayTrust(locations: locations).add(
      "example", name: "Example", keys: [pair.key], drivers: ["org.example."])
  }

  var packages: GatewayPackages { GatewayPackages(locations: locations) }

  /// What is unlike in a version.
  enum Trait: Sendable {
    case none
    /// Its self-test says that it is broken.
    case failingSelfTest
    /// It takes the scale's steps for six grams instead of five.
    case otherWeight
  }

  /// Packs and signs a version.
  func pack(_ version: String, _ trait: Trait = .none) async throws -> String {
    let source = try ScaleFolder(
      sandbox.root.appending(path: "src-\(UUID().uuidString.prefix(8))"), version: version)
    switch trait {
    case .none: break
    case .failingSelfTest: try breakSelfTest(of: source)
    case .otherWeight: try rebuild(source, try Self.code(of: source).replacing("steps * 5", with: "steps * 6"))
    }
    let file = "\(folder)/\(ScaleFolder.id)-\(version).mhdriver"
    _ = try await packages.pack(folder: source.url.path, libraries: [], output: file)
    _ = try packages.sign(file, key: key, output: nil)
    return file
  }

  /// Installs 1.0.0, which the publisher does not serve.
  func install() async throws {
    let file = try await pack("1.0.0")
    _ = try await packages.install(file, options: .init())
    try FileManager.default.removeItem(atPath: file)
  }

  /// Makes the next index.
  func index(_ change: (inout GatewayIndex.Wishes) -> Void = { _ in }) throws {
    var wishes = GatewayIndex.Wishes()
    change(&wishes)
    _ = try GatewayIndex(folder: folder).write(keys: [key], wishes, now: now)
  }

  func owner() throws -> GatewayOwner {
    let gateway = try Gateway(locations: locations)
    return GatewayOwner(gateway: gateway, store: try gateway.openStore())
  }

  /// The version in use; nil: the package is disabled, or not there.
  func version() throws -> String? {
    try Gateway(locations: locations).registry.driver(id: ScaleFolder.id).map { "\($0.version)" }
  }

  /// A bundle whose self-test says that it is broken.
  private func breakSelfTest(of source: ScaleFolder) throws {
    let code = try Self.code(of: source).replacing(
      "static const mh_driver driver = {",
      with: """
        static int32_t self_test(char *report, uint64_t *n) {
          (void)report;
          *n = 0;
          return MH_E_PROTOCOL;
        }
        static const mh_extension_function functions[] = {
            {"self_test", "i32(out_text)", (void (*)(void))self_test}};

        static const mh_driver driver = {
        """
    ).replacing(".bluetooth = &bluetooth}", with: ".bluetooth = &bluetooth, .functions = functions, .n_functions = 1}")
    try rebuild(source, code)
    try source.change(
      "\"capabilities\": [\"connect\", \"decode\"]",
      """
      "capabilities": ["connect", "decode"],
      "functions": [{"name": "self_test", "signature": "i32(out_text)", "summary": "Tests.",
        "outputs": [{"name": "report", "summary": "What was found."}]}]
      """)
  }

  private static func code(of source: ScaleFolder) throws -> String {
    try String(contentsOf: source.url.appending(path: "build/scale.c"), encoding: .utf8)
  }

  /// Puts another bundle into a folder that is about to be packed.
  private func rebuild(_ source: ScaleFolder, _ code: String) throws {
    let folder = source.url.appending(path: "build/other")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(code.utf8).write(to: folder.appending(path: "scale.c"))
    let built = try CompiledBundle.compile(
      folder.appending(path: "scale.c"), include: CompiledBundle.root.appending(path: "SDK/include"), isBundle: true)
    try FileManager.default.removeItem(at: source.library)
    try FileManager.default.copyItem(at: built, to: source.library)
  }
}
