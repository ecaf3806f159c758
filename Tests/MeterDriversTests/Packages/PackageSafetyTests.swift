import Foundation
import TestSupport
import Testing

@testable import MeterDrivers

@Suite("What is installed stays", .timeLimit(.minutes(60))) struct PackageSafetyTests {
  private func fragment(_ fixture: PackageFixture) -> URL {
    URL(filePath: "\(fixture.fragments)/\(ScaleFolder.id).json")
  }

  @Test func aVersionAsLongAsVersionsMayBeIsInstalledAndKept() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let installer = try fixture.installer()
      let long = "1.1.0-" + String(repeating: "a", count: 58)
      #expect(SemanticVersion(long) != nil && SemanticVersion(long + "a") == nil)
      _ = try await installer.install(fixture.package("1.0.0"))
      let content = try fixture.package(long)
      _ = try await installer.install(content)
      #expect(try fixture.version() == long)
      // The same once more gets a folder of its own.
      let again = try await installer.install(content)
      #expect(again.package.previous == SemanticVersion(1, 0, 0))
      #expect(try fixture.version() == long)
      _ = try await installer.rollBack(ScaleFolder.id)
      #expect(try fixture.version() == "1.0.0")
    }
  }

  @Test func aFragmentThatWouldNotBeKnownAgainDoesNotComeIntoUse() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      _ = try await fixture.installer().install(fixture.package())
      let before = try fixture.tree()
      let folder = try PackageFolder(path: fixture.fragments)
      let text = try Data(contentsOf: fragment(fixture))
      for isEnabled in [true, false] {
        let error = #expect(throws: PackageError.self) {
          try folder.activate(ScaleFolder.id, "9.9.9-000000000000", fragment: Array(text), isEnabled: isEnabled)
        }
        #expect(error?.code == .packageFolder)
      }
      #expect(try fixture.tree() == before)
    }
  }

  @Test func aSlipInAPackagesFragmentCostsNoVersion() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let installer = try fixture.installer()
      for version in ["1.0.0", "1.1.0"] { _ = try await installer.install(fixture.package(version)) }
      let good = try Data(contentsOf: fragment(fixture))
      try Data("{\"registry_version\": 1,,".utf8).write(to: fragment(fixture))
      #expect(try await fixture.refusal(fixture.package("1.2.0"))?.code == .nameTaken)
      let removal = #expect(throws: PackageError.self) { _ = try installer.remove(ScaleFolder.id) }
      #expect(removal?.code == .nameTaken)
      // Once the slip is mended, everything is as it was.
      try good.write(to: fragment(fixture))
      #expect(try fixture.version() == "1.1.0")
      _ = try await installer.rollBack(ScaleFolder.id)
      #expect(try fixture.version() == "1.0.0")
    }
  }

  @Test func aDisabledPackageStaysWhenAnotherFragmentTakesItsName() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let installer = try fixture.installer()
      _ = try await installer.install(fixture.package())
      _ = try await installer.setEnabled(false, ScaleFolder.id)
      try Data("{\"registry_version\": 1}".utf8).write(to: fragment(fixture))
      #expect(try await fixture.refusal(fixture.package("1.1.0"))?.code == .nameTaken)
      try FileManager.default.removeItem(at: fragment(fixture))
      _ = try await installer.setEnabled(true, ScaleFolder.id)
      #expect(try fixture.version() == "1.0.0")
    }
  }

  @Test func aDisabledFragmentThatNobodyCanReadIsNotInstalledOver() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let installer = try fixture.installer()
      _ = try await installer.install(fixture.package())
      _ = try await installer.setEnabled(false, ScaleFolder.id)
      let disabled = "\(fixture.fragments)/packages/\(ScaleFolder.id)/disabled.json"
      try Data("?".utf8).write(to: URL(filePath: disabled))
      let error = try await fixture.refusal(fixture.package("1.1.0"))
      #expect(error?.code == .nameTaken && error?.message.contains("disabled.json") == true)
    }
  }
}
