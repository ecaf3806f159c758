import Foundation
import TestSupport
import Testing

@testable import MeterDrivers

/// What a package brings along for its driver to ask for.
@Suite("Assets of packages", .timeLimit(.minutes(60))) struct PackageAssetTests {
  private static let table = "assets/pictures/scale.png"

  private func package(_ fixture: PackageFixture, file: String = table) throws -> PackageContent {
    try fixture.package { folder in
      try folder.change(
        "\"library\": \"drivers/libexample-scale.so\",",
        "\"library\": \"drivers/libexample-scale.so\", \"assets\": [{ \"name\": \"table\", \"file\": \"\(file)\" }],")
    }
  }

  @Test func comeIntoUseWithTheBundle() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      _ = try await fixture.installer().install(package(fixture))
      let registry = try fixture.load()
      let entry = try #require(registry.driver(id: ScaleFolder.id))
      #expect(entry.assets.first?.sha256 != nil)
      #expect(try registry.bundle(of: entry).assets == ["table": [0x89, 0x50, 0x4e, 0x47]])
      #expect(try fixture.version() == "1.0.0")
    }
  }

  @Test func areInThePublishersWord() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      _ = try await fixture.installer().install(package(fixture))
      let entry = try #require(try fixture.load().driver(id: ScaleFolder.id))
      let asset = try #require(entry.assets.first)
      let file = URL(filePath: "\(entry.folder)/\(asset.file)")
      func refusal() throws -> BundleError.Code? {
        let registry = try fixture.load()
        let entry = try #require(registry.driver(id: ScaleFolder.id))
        return #expect(throws: BundleError.self) { _ = try registry.bundle(of: entry) }?.code
      }
      try FileManager.default.removeItem(at: file)
      try Data("forged".utf8).write(to: file)
      #expect(try refusal() == .wrongHash)
      // With its hash in the entry, too: the signature is not one of it.
      let path = URL(filePath: "\(fixture.fragments)/org.example.scale.json")
      let text = try String(contentsOf: path, encoding: .utf8)
      func change(_ old: String, _ new: String) throws {
        #expect(text.contains(old))
        try Data(text.replacing(old, with: new).utf8).write(to: path)
      }
      try change("\(try #require(asset.sha256))", "\(BundleHash(of: Array("forged".utf8)))")
      #expect(try refusal() == .badSignature)
      // Another name, or none of its assets at all.
      try change("\"table\"", "\"tables\"")
      #expect(try refusal() == .badSignature)
      let range = try #require(text.range(of: "\"assets\": ["))
      let end = try #require(text[range.lowerBound...].range(of: "],"))
      try change(String(text[range.lowerBound..<end.upperBound]), "")
      #expect(try refusal() == .badSignature)
    }
  }

  @Test(arguments: ["assets/gone.bin", "LICENSE", "scale.json"])
  func haveToBeInTheirFolder(file: String) async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let error = #expect(throws: PackageError.self) { _ = try package(fixture, file: file) }
      #expect(error?.code == .packageSource && error?.message.contains(file) == true)
    }
  }

  @Test func ofAnInstallationAreLeftOutOfAFragmentThatIsPacked() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let hash = String(repeating: "ab", count: 32)
      let content = try fixture.package { folder in
        try folder.change(
          "\"library\": \"drivers/libexample-scale.so\",",
          """
          "library": "drivers/libexample-scale.so", "assets": [
            {"sha256": "\(hash)", "name": "a", "file": "\(Self.table)"}, {"name": "b", "file": "\(Self.table)", "sha256": "\(hash)"}],
          """)
      }
      let text = String(decoding: content.files[PackagePath.fragment] ?? [], as: UTF8.self)
      #expect(!text.contains("sha256") && text.contains("\"name\": \"a\"") && text.contains("\"name\": \"b\""))
      _ = try await fixture.installer().install(content)
      let registry = try fixture.load()
      let entry = try #require(registry.driver(id: ScaleFolder.id))
      #expect(try registry.bundle(of: entry).assets.keys.sorted() == ["a", "b"])
    }
  }
}
