import Foundation
import MeterDrivers
import TestSupport
import Testing

@testable import GatewayTools

@Suite("The index of a publisher's folder", .timeLimit(.minutes(60))) struct GatewayIndexTests {
  private func index(_ fixture: UpdateFixture) throws -> UpdateIndex {
    try UpdateIndex(
      [UInt8](Data(contentsOf: URL(filePath: "\(fixture.folder)/index.json"))), name: "index.json")
  }

  @Test("its number rises, what was said stays, and a revocation is never taken back") func next() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try UpdateFixture(in: sandbox)
      _ = try await fixture.pack("1.1.0")
      try fixture.index {
        $0.percentages = ["org.example.scale@1.1.0": 10]
        $0.changelogs = ["org.example.scale@1.1.0": "Reads more."]
        $0.revoked = ["org.example.scale@1.0.0": "It loses readings."]
      }
      let first = try index(fixture)
      #expect(first.number == 1 && first.packages.first?.percentage == 10 && first.revoked.count == 1)
      _ = try await fixture.pack("1.2.0")
      try fixture.index { $0.revoked = ["org.example.scale@1.0.0": "Another word."] }
      let second = try index(fixture)
      #expect(second.number == 2 && second.packages.map(\.version.description) == ["1.2.0", "1.1.0"])
      #expect(second.packages.last?.percentage == 10 && second.packages.last?.changelog == "Reads more.")
      #expect(second.packages.first?.percentage == 100 && second.revoked == first.revoked)
    }
  }

  @Test("a package that nobody has signed, and a wish for none that is there, are refused") func refused() async throws
  {
    try await Sandbox.with { sandbox in
      let fixture = try UpdateFixture(in: sandbox)
      let file = try await fixture.pack("1.1.0")
      let wish = #expect(throws: PackageError.self) {
        try fixture.index { $0.percentages = ["org.example.scale@1.2.0": 10] }
      }
      #expect(wish?.code == .packageSource)
      let source = try ScaleFolder(sandbox.root.appending(path: "plain"), version: "1.1.0")
      _ = try await fixture.packages.pack(folder: source.url.path, libraries: [], output: file)
      let unsigned = #expect(throws: PackageError.self) { try fixture.index() }
      #expect(unsigned?.code == .unsigned)
      #expect(!FileManager.default.fileExists(atPath: "\(fixture.folder)/index.json"))
    }
  }
}
