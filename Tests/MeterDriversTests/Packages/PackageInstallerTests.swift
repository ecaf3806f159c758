import Foundation
import TestSupport
import Testing

@testable import MeterDrivers

@Suite("Installing packages", .timeLimit(.minutes(60))) struct PackageInstallerTests {
  private static let fragment = "org.example.scale.json"

  @Test func aSignedPackageComesIntoUseAndItsWordGoesAlong() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let change = try await fixture.installer().install(fixture.package())
      #expect(change.before == nil && change.publisher?.id == "example" && change.package.isEnabled)
      #expect(try fixture.version() == "1.0.0")
      let registry = try fixture.load()
      let entry = try #require(registry.driver(id: ScaleFolder.id))
      #expect(entry.signatures.map(\.key) == [fixture.pair.key])
      #expect(registry.publisher(of: entry)?.id == "example")
      #expect(registry.peripheral(id: 910_001)?.driverID == ScaleFolder.id)
      #expect(try PackageInstaller.packages(in: fixture.sources).map(\.id) == [ScaleFolder.id])
      // The fragment's other text is what the author wrote.
      let text = try String(contentsOfFile: "\(fixture.fragments)/\(Self.fragment)", encoding: .utf8)
      #expect(text.contains("\"services\": [\n        { \"uuid\": \"181D\""))
    }
  }

  @Test func anEntryThatWasChangedIsNotLoaded() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      _ = try await fixture.installer().install(fixture.package())
      let path = "\(fixture.fragments)/\(Self.fragment)"
      let text = try String(contentsOfFile: path, encoding: .utf8)
      func refusal(_ change: (String) -> String) throws -> BundleError? {
        let changed = change(text)
        #expect(changed != text)
        try Data(changed.utf8).write(to: URL(filePath: path))
        let registry = try fixture.load()
        let entry = try #require(registry.driver(id: ScaleFolder.id))
        return #expect(throws: BundleError.self) { _ = try registry.bundle(of: entry) }
      }
      let version = try refusal { $0.replacing("\"1.0.0\"", with: "\"1.9.0\"") }
      #expect(version?.code == .badSignature && version?.rule == "R20")
      let other = PublisherKeyPair()
      let key = try refusal { $0.replacing("\(fixture.pair.key)", with: "\(other.key)") }
      #expect(key?.code == .badSignature)
      // Trust that is taken away holds at once, with the file as it was.
      try Data(text.utf8).write(to: URL(filePath: path))
      #expect(try fixture.version() == "1.0.0")
      let cases: [(TrustList, BundleError.Code)] = [
        (TrustList(), .untrustedKey),
        (TrustList(publishers: [fixture.publisher(drivers: ["org.other."])]), .publisherNotAllowed),
        (
          TrustList(
            publishers: [
              .init(
                id: "a", name: "A", drivers: ["org.example."], keys: [fixture.pair.key], revoked: [fixture.pair.key])
            ]), .revokedKey
        ),
        (
          TrustList(
            publishers: [fixture.publisher()],
            floors: [.init(drivers: "org.example.", version: SemanticVersion(1, 0, 1))]), .belowFloor
        ),
      ]
      for (list, code) in cases {
        try list.write(to: fixture.trust)
        let registry = try fixture.load()
        let entry = try #require(registry.driver(id: ScaleFolder.id))
        #expect(#expect(throws: BundleError.self) { _ = try registry.bundle(of: entry) }?.code == code)
      }
      // A list that cannot be read trusts nobody.
      try Data("{".utf8).write(to: URL(filePath: fixture.trust))
      let registry = try fixture.load()
      let entry = try #require(registry.driver(id: ScaleFolder.id))
      #expect(#expect(throws: BundleError.self) { _ = try registry.bundle(of: entry) }?.code == .trustList)
      #expect(registry.trustProblem != nil)
    }
  }

  @Test func fragmentsWithoutSignaturesNeedTheListsLeave() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      var list = TrustList(publishers: [fixture.publisher()], allowsUnsigned: true)
      try list.write(to: fixture.trust)
      var options = PackageInstaller.Options()
      options.takesUnsigned = true
      _ = try await fixture.installer().install(fixture.package(isSigned: false), options: options)
      #expect(try fixture.version() == "1.0.0")
      list.requiresSignatures = true
      try list.write(to: fixture.trust)
      let registry = try fixture.load()
      let entry = try #require(registry.driver(id: ScaleFolder.id))
      #expect(#expect(throws: BundleError.self) { _ = try registry.bundle(of: entry) }?.code == .unsigned)
      _ = try await fixture.installer().install(fixture.package("1.1.0"))
      #expect(try fixture.version() == "1.1.0")
    }
  }

  // MARK: - Versions

  @Test func updateRollbackAndForwardAgain() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let installer = try fixture.installer()
      let none = await #expect(throws: PackageError.self) { _ = try await installer.rollBack(ScaleFolder.id) }
      #expect(none?.code == .notInstalled)
      _ = try await installer.install(fixture.package("1.0.0"))
      let early = await #expect(throws: PackageError.self) { _ = try await installer.rollBack(ScaleFolder.id) }
      #expect(early?.code == .noPrevious)
      let update = try await installer.install(fixture.package("1.1.0"))
      #expect(update.before == SemanticVersion(1, 0, 0) && update.package.previous == SemanticVersion(1, 0, 0))
      #expect(try fixture.version() == "1.1.0")
      let back = try await installer.rollBack(ScaleFolder.id)
      #expect(back.package.version == SemanticVersion(1, 0, 0) && back.package.previous == SemanticVersion(1, 1, 0))
      #expect(try fixture.version() == "1.0.0")
      _ = try await installer.rollBack(ScaleFolder.id)
      #expect(try fixture.version() == "1.1.0")
      // Two versions are kept, not three.
      _ = try await installer.install(fixture.package("1.2.0"))
      let kept = try FileManager.default.contentsOfDirectory(
        atPath: "\(fixture.fragments)/packages/\(ScaleFolder.id)")
      #expect(kept.filter { $0.hasPrefix("1.") }.count == 2 && !kept.contains { $0.hasPrefix("1.0.0") })
      // The same version once more is no way back to itself.
      let again = try await installer.install(fixture.package("1.2.0"))
      #expect(again.package.previous == SemanticVersion(1, 1, 0))
    }
  }

  @Test func whatAPersonHasInstalledMeanwhileIsNotGoneBackFrom() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let installer = try fixture.installer()
      for version in ["1.0.0", "1.1.0", "1.2.0"] { _ = try await installer.install(fixture.package(version)) }
      let bad = SemanticVersion(1, 1, 0)
      #expect(try await installer.rollBack(ScaleFolder.id, from: bad) == nil)
      #expect(try await installer.disable(ScaleFolder.id, bad) == nil)
      #expect(try fixture.version() == "1.2.0")
      let back = try await installer.rollBack(ScaleFolder.id, from: SemanticVersion(1, 2, 0))
      #expect(back?.package.version == bad && back?.before == SemanticVersion(1, 2, 0))
      #expect(try fixture.version() == "1.1.0")
      #expect(try await installer.disable(ScaleFolder.id, bad)?.package.isEnabled == false)
      #expect(try fixture.version() == nil)
    }
  }

  @Test func takesThePlaceOfTheNamedVersionOnly() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let installer = try fixture.installer()
      _ = try await installer.install(fixture.package("1.1.0"))
      var options = PackageInstaller.Options()
      let newest = try fixture.package("1.2.0")
      #expect(try await fixture.refusal(newest) { $0.replaces = SemanticVersion(1, 0, 0) }?.code == .changedMeanwhile)
      #expect(try fixture.version() == "1.1.0")
      options.replaces = SemanticVersion(1, 1, 0)
      _ = try await installer.install(newest, options: options)
      #expect(try fixture.version() == "1.2.0")
      _ = try installer.remove(ScaleFolder.id)
      let before = try fixture.tree()
      #expect(try await fixture.refusal(newest) { $0.replaces = SemanticVersion(1, 2, 0) }?.code == .changedMeanwhile)
      #expect(try fixture.version() == nil && fixture.tree() == before)
    }
  }

  @Test func anOlderVersionIsNoWayBackNotEvenAfterRemoval() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let installer = try fixture.installer()
      _ = try await installer.install(fixture.package("1.1.0"))
      let old = try fixture.package("1.0.0")
      #expect(try await fixture.refusal(old)?.code == .olderVersion)
      #expect(try fixture.version() == "1.1.0")
      let removed = try installer.remove(ScaleFolder.id)
      #expect(removed.package.version == SemanticVersion(1, 1, 0))
      #expect(try fixture.version() == nil)
      #expect(try fixture.tree().keys.sorted() == ["packages", "packages/.lock", "packages/versions.json"])
      #expect(try await fixture.refusal(old)?.code == .olderVersion)
      let pre = try fixture.package("1.1.0-rc.1")
      #expect(try await fixture.refusal(pre)?.code == .olderVersion)
      var options = PackageInstaller.Options()
      options.allowsDowngrade = true
      _ = try await installer.install(old, options: options)
      #expect(try fixture.version() == "1.0.0")
      // The floor of the list holds with every option, and for a rollback.
      _ = try await installer.install(fixture.package("1.2.0"))
      try fixture.trust(
        fixture.publisher(), floors: [.init(drivers: ScaleFolder.id, version: SemanticVersion(1, 2, 0))])
      #expect(try await fixture.refusal(old) { $0.allowsDowngrade = true }?.code == .belowFloor)
      let back = await #expect(throws: PackageError.self) { _ = try await installer.rollBack(ScaleFolder.id) }
      #expect(back?.code == .belowFloor)
      #expect(try fixture.version() == "1.2.0")
    }
  }

  // MARK: - Who

  @Test func onlySignedPackagesOfTrustedPublishers() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let unsigned = try fixture.package(isSigned: false)
      #expect(try await fixture.refusal(unsigned)?.code == .unsigned)
      // Asking for it is not enough in a registry for readings.
      #expect(try await fixture.refusal(unsigned) { $0.takesUnsigned = true }?.code == .unsigned)
      let stranger = try fixture.package(signedWith: PublisherKeyPair())
      #expect(try await fixture.refusal(stranger)?.code == .untrustedKey)
      // The option does not make a stranger's signature none.
      #expect(try await fixture.refusal(stranger) { $0.takesUnsigned = true }?.code == .untrustedKey)
    }
  }

  @Test func aDevelopmentRegistryTakesUnsignedOnesWhenAsked() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox, development: true, isTrusted: false)
      let unsigned = try fixture.package(isSigned: false)
      #expect(try await fixture.refusal(unsigned)?.code == .unsigned)
      var options = PackageInstaller.Options()
      options.takesUnsigned = true
      let change = try await fixture.installer().install(unsigned, options: options)
      #expect(change.publisher == nil)
      #expect(try fixture.version() == "1.0.0")
    }
  }

  @Test func anotherPublisherDoesNotTakeAPackageOver() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let installer = try fixture.installer()
      _ = try await installer.install(fixture.package())
      let other = PublisherKeyPair()
      var list = TrustList(
        publishers: [
          fixture.publisher(),
          .init(id: "other", name: "Other", drivers: ["org.example."], keys: [other.key]),
        ], allowsUnsigned: true)
      try list.write(to: fixture.trust)
      let theirs = try fixture.package("2.0.0", signedWith: other)
      #expect(try await fixture.refusal(theirs)?.code == .otherPublisher)
      let nobodys = try fixture.package("2.0.0", isSigned: false)
      #expect(try await fixture.refusal(nobodys) { $0.takesUnsigned = true }?.code == .otherPublisher)
      // A publisher who changes its key is the same one.
      let rotated = PublisherKeyPair()
      list.publishers[0].keys = [rotated.key]
      list.publishers[0].revoked = [fixture.pair.key]
      try list.write(to: fixture.trust)
      _ = try await installer.install(fixture.package("1.1.0", signedWith: rotated))
      #expect(try fixture.version() == "1.1.0")
      _ = try installer.remove(ScaleFolder.id)
      _ = try await installer.install(theirs)
      #expect(try fixture.version() == "2.0.0")
    }
  }

  // MARK: - What

  @Test func aRegistryThatWouldHaveProblemsRefuses() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let duplicate = try fixture.package { folder in
        try folder.change("910001", "1")
      }
      let taken = try await fixture.refusal(duplicate)
      #expect(taken?.code == .registryProblem && taken?.message.contains("already stands") == true)
      // Another fragment that is read later would lose: the new package is the one that is refused.
      let later = RegistryFixture.peripheral(910_001)
      _ = try sandbox.file("etc/registry.d/z.json", "{\"registry_version\": 1, \"peripherals\": [\(later)]}")
      let clash = try await fixture.refusal(fixture.package())
      #expect(clash?.code == .registryProblem && clash?.message.contains("z.json") == true)
      // A problem that was there before is nobody's reason.
      _ = try sandbox.file("etc/registry.d/z.json", "{")
      _ = try await fixture.installer().install(fixture.package())
      #expect(try fixture.version() == "1.0.0")
    }
  }

  @Test func aRuleThatTiesRefuses() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let rule = #", "match": [{"services": ["181D"], "name_prefix": "EX-S1"}]"#
      _ = try sandbox.file(
        "etc/registry.d/a.json",
        "{\"registry_version\": 1, \"peripherals\": [\(RegistryFixture.peripheral(910_002, rule))]}")
      let error = try await fixture.refusal(fixture.package())
      #expect(error?.code == .ambiguousMatch && error?.message.contains("910002") == true)
    }
  }

  @Test func aBundleThatIsNotWhatItsEntrySaysRefuses() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let folder = try fixture.folder("1.0.0", fragmentVersion: "1.1.0")
      let content = try PackageSource(folder: folder.url.path).package(for: fixture.sources).signed(with: fixture.pair)
      let error = try await fixture.refusal(content)
      #expect(error?.code == .driverRefused && error?.message.contains("R19") == true)
    }
  }

  @Test func aPackageWithoutThisPlatformRefuses() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let folder = try fixture.folder(isForeign: true)
      try FileManager.default.removeItem(at: folder.library)
      let content = try PackageSource(folder: folder.url.path).package(for: fixture.sources).signed(with: fixture.pair)
      let error = try await fixture.refusal(content)
      #expect(error?.code == .noPlatform && error?.message.contains("linux-") == true)
    }
  }

  @Test func aNameThatIsTakenRefuses() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      _ = try sandbox.file("etc/registry.d/\(Self.fragment)", "{\"registry_version\": 1}")
      #expect(try await fixture.refusal(fixture.package())?.code == .nameTaken)
    }
  }

  // MARK: - Enabling

  @Test func aDisabledPackageIsOutOfTheRegistryAndComesBack() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let installer = try fixture.installer()
      _ = try await installer.install(fixture.package())
      let off = try await installer.setEnabled(false, ScaleFolder.id)
      #expect(!off.package.isEnabled)
      #expect(try fixture.version() == nil)
      #expect(try PackageInstaller.packages(in: fixture.sources).map(\.isEnabled) == [false])
      #expect(try Registry.loadWithDisabledPackages(fixture.sources).driver(id: ScaleFolder.id) != nil)
      // An update leaves it disabled.
      _ = try await installer.install(fixture.package("1.1.0"))
      #expect(try fixture.version() == nil)
      _ = try await installer.setEnabled(false, ScaleFolder.id)
      let on = try await installer.setEnabled(true, ScaleFolder.id)
      #expect(on.package.isEnabled)
      #expect(try fixture.version() == "1.1.0")
      // A package whose key was revoked meanwhile stays out.
      _ = try await installer.setEnabled(false, ScaleFolder.id)
      var publisher = fixture.publisher()
      (publisher.keys, publisher.revoked) = ([], [fixture.pair.key])
      try fixture.trust(publisher)
      let error = await #expect(throws: PackageError.self) { _ = try await installer.setEnabled(true, ScaleFolder.id) }
      #expect(error?.code == .revokedKey)
      #expect(try fixture.version() == nil)
      // It can still be removed.
      _ = try installer.remove(ScaleFolder.id)
      #expect(try PackageInstaller.packages(in: fixture.sources).isEmpty)
    }
  }

  // MARK: - Hostile folders

  @Test(arguments: ["packages", "packages/org.example.scale", "packages/.lock", "packages/versions.json"])
  func aLinkInTheFolderIsNotFollowed(place: String) async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let elsewhere = sandbox.path("elsewhere")
      let isFolder = !place.hasPrefix("packages/.") && !place.hasSuffix(".json")
      if isFolder {
        try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: true)
      } else {
        try Data("kept".utf8).write(to: URL(filePath: elsewhere))
      }
      let link = "\(fixture.fragments)/\(place)"
      try FileManager.default.createDirectory(
        atPath: (link as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: elsewhere)
      let content = try fixture.package()
      let error = await #expect(throws: PackageError.self) { _ = try await fixture.installer().install(content) }
      #expect(error?.code == .packageFolder)
      #expect(try fixture.version() == nil)
      if isFolder {
        #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere).isEmpty)
      } else {
        #expect(try Data(contentsOf: URL(filePath: elsewhere)) == Data("kept".utf8))
      }
    }
  }

  @Test func aLinkAsTheFragmentIsNotWrittenThrough() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let elsewhere = try sandbox.file("elsewhere", "kept")
      try FileManager.default.createSymbolicLink(
        atPath: "\(fixture.fragments)/\(Self.fragment)", withDestinationPath: elsewhere)
      let content = try fixture.package()
      await #expect(throws: PackageError.self) { _ = try await fixture.installer().install(content) }
      #expect(try String(contentsOfFile: elsewhere, encoding: .utf8) == "kept")
      // What an earlier crash, or somebody else, has left in the way of a part does not matter.
      try FileManager.default.removeItem(atPath: "\(fixture.fragments)/\(Self.fragment)")
      try FileManager.default.createSymbolicLink(
        atPath: "\(fixture.fragments)/.\(Self.fragment).part", withDestinationPath: elsewhere)
      _ = try await fixture.installer().install(content)
      #expect(try String(contentsOfFile: elsewhere, encoding: .utf8) == "kept")
      #expect(try fixture.version() == "1.0.0")
    }
  }

  @Test func twoAtOnceWaitForNobody() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let content = try fixture.package()
      let folder = try PackageFolder(path: fixture.fragments)
      #expect(try await fixture.refusal(content)?.code == .busy)
      let removal = #expect(throws: PackageError.self) { _ = try fixture.installer().remove(ScaleFolder.id) }
      #expect(removal?.code == .busy)
      withExtendedLifetime(folder) {}
    }
  }

  @Test func whatACrashHasLeftIsTidiedUp() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let installer = try fixture.installer()
      _ = try await installer.install(fixture.package("1.0.0"))
      let own = "\(fixture.fragments)/packages/\(ScaleFolder.id)"
      let record = try Data(contentsOf: URL(filePath: "\(own)/record.json"))
      _ = try await installer.install(fixture.package("1.1.0"))
      // As if the process had died right after the rename that made 1.1.0 true, and an earlier one while staging.
      try record.write(to: URL(filePath: "\(own)/record.json"))
      for left in [".staging/lib", "9.9.9-000000000000"] {
        try FileManager.default.createDirectory(atPath: "\(own)/\(left)", withIntermediateDirectories: true)
      }
      #expect(try PackageInstaller.packages(in: fixture.sources).first?.previous == SemanticVersion(1, 0, 0))
      let back = try await installer.rollBack(ScaleFolder.id)
      #expect(back.package.version == SemanticVersion(1, 0, 0) && back.package.previous == SemanticVersion(1, 1, 0))
      let left = try FileManager.default.contentsOfDirectory(atPath: own)
      #expect(left.count == 3 && left.contains("record.json"))
      // A record that says nothing costs the way back and nothing else.
      try Data("?".utf8).write(to: URL(filePath: "\(own)/record.json"))
      #expect(try fixture.version() == "1.0.0")
      _ = try await installer.install(fixture.package("1.2.0"))
      #expect(try fixture.version() == "1.2.0")
    }
  }

  @Test func aKeptVersionThatWasChangedIsNoWayBack() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let installer = try fixture.installer()
      for version in ["1.0.0", "1.1.0"] { _ = try await installer.install(fixture.package(version)) }
      let library = try #require(
        try fixture.tree().keys.first { $0.contains("/1.0.0-") && $0.hasSuffix(".so") })
      let url = URL(filePath: "\(fixture.fragments)/\(library)")
      var bytes = try Data(contentsOf: url)
      bytes.append(0)
      try bytes.write(to: url)
      let error = await #expect(throws: PackageError.self) { _ = try await installer.rollBack(ScaleFolder.id) }
      #expect(error?.code == .driverRefused && error?.message.contains("SHA-256") == true)
      #expect(try fixture.version() == "1.1.0")
    }
  }
}
