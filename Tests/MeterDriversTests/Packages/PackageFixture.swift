import Foundation
import TestSupport
import Testing

@testable import MeterDrivers

/// A registry with an empty drop-in folder, a publisher's key on its trust list, and packages of the example scale.
struct PackageFixture {
  let sandbox: Sandbox
  let pair = PublisherKeyPair()
  let registry: String
  let fragments: String
  let trust: String

  init(in sandbox: Sandbox, development: Bool = false, isTrusted: Bool = true) throws {
    self.sandbox = sandbox
    registry = try sandbox.file("registry.json", RegistryFixture.text(development: development))
    try FileManager.default.createDirectory(atPath: sandbox.path("etc/registry.d"), withIntermediateDirectories: true)
    fragments = sandbox.path("etc/registry.d")
    trust = sandbox.path("etc/trust.json")
    if isTrusted { try trust(publisher()) }
  }

  var sources: RegistrySources { RegistrySources(base: registry, fragments: fragments, trust: trust) }

  func publisher(_ id: String = "example", drivers: [String] = ["org.example."]) -> TrustList.Publisher {
    TrustList.Publisher(id: id, name: "\(id) Ltd", drivers: drivers, keys: [pair.key])
  }

  func trust(_ publishers: TrustList.Publisher..., floors: [TrustList.Floor] = []) throws {
    try TrustList(publishers: publishers, floors: floors).write(to: trust)
  }

  func installer() throws -> PackageInstaller { try PackageInstaller(sources: sources, host: DriverHost()) }

  func folder(_ version: String = "1.0.0", fragmentVersion: String? = nil, isForeign: Bool = false) throws
    -> ScaleFolder
  {
    try ScaleFolder(
      sandbox.root.appending(path: "src-\(UUID().uuidString)"), version: version, fragmentVersion: fragmentVersion,
      isForeign: isForeign)
  }

  /// A package; signed with the fixture's key, or another one, or with none.
  func package(
    _ version: String = "1.0.0", signedWith pair: PublisherKeyPair? = nil, isSigned: Bool = true,
    change: (ScaleFolder) throws -> Void = { _ in }
  ) throws -> PackageContent {
    let folder = try folder(version)
    try change(folder)
    let content = try PackageSource(folder: folder.url.path).package(for: sources)
    return isSigned ? try content.signed(with: pair ?? self.pair) : content
  }

  func load() throws -> Registry { try Registry.load(sources) }

  /// The version that the registry has; nil: it has no such driver. It must be loadable.
  func version() throws -> String? {
    let registry = try load()
    guard let entry = registry.driver(id: ScaleFolder.id) else { return nil }
    _ = try registry.bundle(of: entry)
    return "\(entry.version)"
  }

  /// Everything below the drop-in folder, with the content of files.
  func tree() throws -> [String: Data] {
    var tree: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: fragments) {
      tree[path] = (try? Data(contentsOf: URL(filePath: "\(fragments)/\(path)"))) ?? Data()
    }
    return tree
  }

  /// What an installation may not change when it is refused; the folder of packages and its lock are made by looking.
  private func kept() throws -> [String: Data] {
    try tree().filter { !["packages", "packages/.lock"].contains($0.key) }
  }

  /// The error that an installation is refused with; fails the test when it is not, or when it has changed anything.
  func refusal(
    _ content: PackageContent, _ change: (inout PackageInstaller.Options) -> Void = { _ in },
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> PackageError? {
    var options = PackageInstaller.Options()
    change(&options)
    let before = try kept()
    let error = await #expect(throws: PackageError.self, sourceLocation: sourceLocation) {
      _ = try await installer().install(content, options: options)
    }
    #expect(try kept() == before, sourceLocation: sourceLocation)
    return error
  }
}
