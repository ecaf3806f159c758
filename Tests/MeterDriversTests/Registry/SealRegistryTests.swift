import Foundation
import TestSupport
import Testing

@testable import MeterDrivers

/// scripts/seal-registry: what a release does to the registry (rule R20).
@Suite("R20 sealing a registry", .enabled(if: Tool.isThere("python3"))) struct SealRegistryTests {
  private func staged(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "seal-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder.appending(path: "drivers"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.copyItem(
      at: URL(filePath: RegistryFixture.repositoryFile), to: folder.appending(path: "registry.json"))
    try body(folder)
  }

  private func seal(_ folder: URL) throws -> (status: Int32, output: String) {
    let script = RegistryFixture.root.appending(path: "scripts/seal-registry").path
    return try Tool.run([script, folder.appending(path: "registry.json").path], in: folder)
  }

  @Test func writesTheHashesAndEndsDevelopment() throws {
    try staged { folder in
      for (index, name) in BuildProducts.allBundles.enumerated() {
        try Data((index == 0 ? "abc" : "").utf8).write(to: folder.appending(path: "drivers/libmh-\(name).so"))
      }
      for path in BuildProducts.assets.keys {
        let file = folder.appending(path: path)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data().write(to: file)
      }
      let (status, output) = try seal(folder)
      #expect(status == 0, "\(output)")
      let registry = try Registry.load(RegistrySources(base: folder.appending(path: "registry.json").path))
      #expect(!registry.isDevelopment && registry.problems.isEmpty && registry.warnings.isEmpty)
      // The digests of "abc" and of nothing: FIPS 180-2, appendix B.1, and the well-known empty one.
      #expect(
        registry.drivers.prefix(2).map { $0.sha256?.description } == [
          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
          "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        ])
      #expect(registry.drivers.allSatisfy { $0.sha256 != nil })
    }
  }

  @Test func aMissingOrEscapingLibraryChangesNothing() throws {
    try staged { folder in
      let before = try Data(contentsOf: folder.appending(path: "registry.json"))
      #expect(try seal(folder).status == 1)
      for name in BuildProducts.allBundles {
        try FileManager.default.createSymbolicLink(
          at: folder.appending(path: "drivers/libmh-\(name).so"), withDestinationURL: URL(filePath: "/bin/sh"))
      }
      let (status, output) = try seal(folder)
      #expect(status == 1 && output.contains("leaves"))
      #expect(try Data(contentsOf: folder.appending(path: "registry.json")) == before)
    }
  }
}
