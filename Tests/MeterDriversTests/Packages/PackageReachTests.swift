import Foundation
import TestSupport
import Testing

@testable import MeterDrivers

@Suite("What a package may touch", .timeLimit(.minutes(60))) struct PackageReachTests {
  private static let families = "\"families\": [{ \"id\": \"example-scale\", \"name\": \"Example scales\" }],"
  private static let other = "org.example.tare"

  /// Another driver that says it is of the example scale's family.
  private func sibling(_ fixture: PackageFixture, signedWith pair: PublisherKeyPair?) throws -> PackageContent {
    try fixture.package(signedWith: pair, isSigned: pair != nil) { folder in
      try folder.change(Self.families, "")
      try folder.change(ScaleFolder.id, Self.other)
      try folder.change("910001", "910002")
      try folder.change("EX-S1", "EX-O1")
      let bundle = try CompiledBundle.make(["asset.c"], defines: ["ID=\"\(Self.other)\"", "VERSION=\"1.0.0\""])
      try Data(contentsOf: bundle).write(to: folder.library)
    }
  }

  @Test func aFamilyIsSharedWithTheSamePublisherOnly() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let installer = try fixture.installer()
      let foreign = PublisherKeyPair()
      var list = TrustList(
        publishers: [
          fixture.publisher(),
          .init(id: "other", name: "Other", drivers: [Self.other], keys: [foreign.key]),
        ])
      list.allowsUnsigned = true
      try list.write(to: fixture.trust)
      _ = try await installer.install(fixture.package())
      let theirs = try await fixture.refusal(sibling(fixture, signedWith: foreign))
      #expect(theirs?.code == .foreignFamily && theirs?.message.contains(ScaleFolder.id) == true)
      let nobodys = try await fixture.refusal(sibling(fixture, signedWith: nil)) { $0.takesUnsigned = true }
      #expect(nobodys?.code == .foreignFamily)
      let own = try await installer.install(sibling(fixture, signedWith: fixture.pair))
      #expect(own.package.id == Self.other)
      // Once it is foreign, it does not come back by being enabled.
      _ = try await installer.setEnabled(false, Self.other)
      list.publishers[0].drivers = [ScaleFolder.id]
      list.publishers[1].keys.append(fixture.pair.key)
      try list.write(to: fixture.trust)
      let error = await #expect(throws: PackageError.self) { _ = try await installer.setEnabled(true, Self.other) }
      #expect(error?.code == .foreignFamily)
    }
  }

  @Test func aFamilyOfTheInstallationIsNobodyElses() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let content = try fixture.package { folder in
        try folder.change(Self.families, "")
        try folder.change("\"example-scale\"", "\"fam\"")
      }
      let error = try await fixture.refusal(content)
      #expect(error?.code == .foreignFamily && error?.message.contains("org.example.one") == true)
    }
  }

  @Test func whatHappensToTheEntriesOfOthersIsTold() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let waiting = RegistryFixture.peripheral(ScaleFolder.peripheral)
        .replacing("\"driver\": \"org.example.one\",", with: "").replacing("glucose_meter", with: "weight_scale")
      let generic = RegistryFixture.peripheral(1, #", "generic": true"#)
      _ = try sandbox.file(
        "registry.json", RegistryFixture.text(development: false, peripherals: "\(generic), \(waiting)"))
      let content = try fixture.package { folder in
        try folder.change(
          "\"drivers\": [",
          "\"overrides\": [{ \"id\": 1, \"kind\": \"bluetooth\", \"disabled\": true }], \"drivers\": [")
      }
      let change = try await fixture.installer().install(content)
      #expect(change.warnings.contains { $0.contains("place of the entry Meter \(ScaleFolder.peripheral)") })
      #expect(change.warnings.contains { $0.contains("the entry Meter 1 ") })
      #expect(try fixture.load().peripheral(id: 1)?.isDisabled == true)
    }
  }

  @Test func aDriverIsTakenOutOfUseWhateverTheTrustListSays() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let installer = try fixture.installer()
      _ = try await installer.install(fixture.package())
      try Data("{".utf8).write(to: URL(filePath: fixture.trust))
      let off = try await installer.setEnabled(false, ScaleFolder.id)
      #expect(!off.package.isEnabled && off.publisher == nil)
      let on = await #expect(throws: PackageError.self) { _ = try await installer.setEnabled(true, ScaleFolder.id) }
      #expect(on?.code == .trustList)
      _ = try installer.remove(ScaleFolder.id)
      #expect(try PackageInstaller.packages(in: fixture.sources).isEmpty)
    }
  }

  @Test(arguments: ["org.example." + String(repeating: "a", count: 53), "versions.json"])
  func anIdThatNoFolderCanHaveIsNotPacked(id: String) async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let error = #expect(throws: PackageError.self) {
        _ = try fixture.package(isSigned: false) { try $0.change(ScaleFolder.id, id) }
      }
      #expect(error?.code == .packageSource && error?.message.contains("no package's") == true)
    }
  }
}
