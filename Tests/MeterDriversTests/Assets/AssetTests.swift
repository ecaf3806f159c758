import Foundation
import TestSupport
import Testing

@testable import MeterDrivers

/// Files of a bundle beside the library: named by the registry, held against their hashes, below its folder.
@Suite struct AssetTests {
  private static let id = "org.example.one"

  private func file(_ name: String, _ text: String, in sandbox: Sandbox) throws {
    try FileManager.default.createDirectory(atPath: sandbox.path("drivers"), withIntermediateDirectories: true)
    _ = try sandbox.file("drivers/\(name)", text)
  }

  /// A registry with a bundle that loads, in a folder of its own.
  private func registry(in sandbox: Sandbox, _ assets: String, development: Bool = true) throws -> Registry {
    let files = FileManager.default
    try files.createDirectory(atPath: sandbox.path("drivers"), withIntermediateDirectories: true)
    let bundle = try CompiledBundle.make(["asset.c"], defines: ["ID=\"\(Self.id)\"", "VERSION=\"1.2.3\""])
    if !files.fileExists(atPath: sandbox.path("drivers/one.so")) {
      try files.copyItem(atPath: bundle.path, toPath: sandbox.path("drivers/one.so"))
    }
    let hash = BundleHash(of: Array(try Data(contentsOf: bundle)))
    let driver = RegistryFixture.driver.replacing(String(repeating: "ab", count: 32), with: "\(hash)")
      .replacing("\"capabilities\"", with: "\"assets\": [\(assets)], \"capabilities\"")
    let path = try sandbox.file("registry.json", RegistryFixture.text(development: development, drivers: driver))
    return try Registry.load(RegistrySources(base: path))
  }

  private func refusal(_ registry: Registry) throws -> any Error {
    let entry = try #require(registry.driver(id: Self.id))
    return try #require(#expect(throws: (any Error).self) { _ = try registry.bundle(of: entry) })
  }

  @Test func areReadByTheirNames() async throws {
    try await Sandbox.with { sandbox in
      try file("a.bin", "abc", in: sandbox)
      try file("b.bin", "", in: sandbox)
      let hash = BundleHash(of: Array("abc".utf8))
      let registry = try registry(
        in: sandbox,
        """
        {"name": "first table", "file": "drivers/a.bin", "sha256": "\(hash)"}, {"name": "b", "file": "drivers/b.bin"}
        """)
      let entry = try #require(registry.driver(id: Self.id))
      #expect(try registry.bundle(of: entry).assets == ["first table": Array("abc".utf8), "b": []])
    }
  }

  @Test func anotherContentIsRefused() async throws {
    try await Sandbox.with { sandbox in
      try file("a.bin", "abc", in: sandbox)
      let hash = BundleHash(of: Array("abc".utf8))
      let registry = try registry(in: sandbox, #"{"name": "a", "file": "drivers/a.bin", "sha256": "\#(hash)"}"#)
      try Data("abd".utf8).write(to: URL(filePath: sandbox.path("drivers/a.bin")))
      let error = try refusal(registry) as? BundleError
      #expect(error?.code == .wrongHash && error?.rule == "R20" && error?.path.hasSuffix("drivers/a.bin") == true)
    }
  }

  @Test func tooManyBytesAreRefused() async throws {
    try await Sandbox.with { sandbox in
      let half = String(repeating: "x", count: DriverEntry.Asset.sizeLimit / 2)
      try file("a.bin", half, in: sandbox)
      try file("b.bin", half, in: sandbox)
      let both = #"{"name": "a", "file": "drivers/a.bin"}, {"name": "b", "file": "drivers/b.bin"}"#
      let fitting = try registry(in: sandbox, both)
      let entry = try #require(fitting.driver(id: Self.id))
      #expect(try fitting.bundle(of: entry).assets.count == 2)
      try file("b.bin", half + "x", in: sandbox)
      #expect((try refusal(registry(in: sandbox, both)) as? BundleError)?.code == .tooLarge)
    }
  }

  @Test func aLinkOutOfTheFolderIsRefused() async throws {
    try await Sandbox.with { sandbox in
      let registry = try registry(in: sandbox, #"{"name": "a", "file": "drivers/a.bin"}"#)
      try FileManager.default.createSymbolicLink(
        atPath: sandbox.path("drivers/a.bin"), withDestinationPath: "/etc/passwd")
      let error = try refusal(registry) as? RegistryError
      #expect(error?.code == .escapingPath && error?.problem.contains("the asset \"a\" of \(Self.id)") == true)
    }
  }

  @Test func withoutItsHashNoneIsInASealedRegistry() async throws {
    try await Sandbox.with { sandbox in
      try file("a.bin", "abc", in: sandbox)
      let registry = try registry(in: sandbox, #"{"name": "a", "file": "drivers/a.bin"}"#, development: false)
      #expect(registry.driver(id: Self.id) == nil)
      #expect(registry.problems.map(\.code) == [.missingHash])
      #expect(registry.problems.first?.problem.contains("the asset \"a\"") == true)
      // What seals a registry gives it one.
      let sealing = Process()
      sealing.executableURL = RegistryFixture.root.appending(path: "scripts/seal-registry")
      sealing.arguments = [sandbox.path("registry.json")]
      try sealing.run()
      sealing.waitUntilExit()
      let sealed = try Registry.load(RegistrySources(base: sandbox.path("registry.json")))
      let entry = try #require(sealed.driver(id: Self.id))
      #expect(try sealed.bundle(of: entry).assets == ["a": Array("abc".utf8)])
    }
  }

  @Test(arguments: [
    (#"{"name": "a"}"#, RegistryError.Code.missingKey), (#"{"file": "a"}"#, .missingKey),
    (#"{"name": "a", "file": "../a"}"#, .escapingPath), (#"{"name": "a", "file": "/a"}"#, .escapingPath),
    (#"{"name": "", "file": "a"}"#, .invalidValue), (#"{"name": "a\nb", "file": "a"}"#, .invalidValue),
    (#"{"name": "a", "file": "a", "sha256": "zz"}"#, .invalidValue), (#""a""#, .wrongType),
    (#"{"name": "a", "file": "a"}, {"name": "a", "file": "b"}"#, .duplicateID),
    ((0..<65).map { #"{"name": "\#($0)", "file": "a"}"# }.joined(separator: ","), .invalidValue),
  ])
  func aBadEntryIsRefused(assets: String, code: RegistryError.Code) throws {
    let driver = RegistryFixture.driver.replacing("\"capabilities\"", with: "\"assets\": [\(assets)], \"capabilities\"")
    let error = #expect(throws: RegistryError.self) {
      _ = try RegistryFixture.load(RegistryFixture.text(drivers: driver))
    }
    #expect(error?.code == code && error?.path.hasPrefix("$.drivers[0].assets") == true)
  }
}
