import Foundation
import Testing

@testable import MeterDrivers

@Suite("Reading an index of packages", .timeLimit(.minutes(60))) struct IndexReadingTests {
  private let fixture = IndexFixture()
  private var text: String { String(decoding: fixture.index().bytes, as: UTF8.self) }

  @Test("what was written is read") func comesBack() throws {
    let revoked = RevokedVersion(
      package: "org.example.scale", version: SemanticVersion(1, 0, 1), reason: "It loses readings.")
    let index = fixture.index(revoked: [revoked])
    #expect(try UpdateIndex(index.bytes, name: "index.json") == index)
  }

  @Test(
    "anything else is refused with its place",
    arguments: [
      ("\"index_version\": 1", "\"index_version\": 2", "$.index_version"),
      ("\"number\": 7", "\"number\": 0", "$.number"), ("\"number\": 7", "\"number\": -7", "$.number"),
      ("\"number\": 7", "\"numbers\": 7", "$"), ("\"number\": 7", "\"number\": 7, \"number\": 8", "$"),
      ("\"number\": 7", "\"number\": 7, \"urgent\": true", "$"),
      ("\"expires\": \"2026-03-30T00:00:00Z\"", "\"expires\": \"2026-03-30\"", "$.expires"),
      ("\"expires\": \"2026-03-30T00:00:00Z\"", "\"expires\": \"2026-03-30T00:00:00+01:00\"", "$.expires"),
      ("\"expires\": \"2026-03-30T00:00:00Z\"", "\"expires\": \"2096-03-30T00:00:00Z\"", "$.expires"),
      ("\"expires\": \"2026-03-30T00:00:00Z\"", "\"expires\": \"2026-02-01T00:00:00Z\"", "$.expires"),
      ("\"percentage\": 100", "\"percentage\": 101", "$.packages[0].percentage"),
      ("\"size\": 4711", "\"size\": 0", "$.packages[0].size"),
      ("\"size\": 4711", "\"size\": 134217729", "$.packages[0].size"),
      ("\"channel\": \"stable\"", "\"channel\": \"nightly\"", "$.packages[0].channel"),
      ("org.example.scale-1.1.0.mhdriver", "../1.1.0.mhdriver", "$.packages[0].file"),
      ("org.example.scale-1.1.0.mhdriver", "https://x/1.1.0.mhdriver", "$.packages[0].file"),
      ("org.example.scale-1.1.0.mhdriver", ".hidden", "$.packages[0].file"),
      ("\"name\": \"org.example.scale\"", "\"name\": \"scale\"", "$.packages[0].name"),
      ("\"version\": \"1.1.0\"", "\"version\": \"1.1\"", "$.packages[0].version"),
      ("second user, too.", "second user, \\u202etoo.", "$.packages[0].changelog"),
    ])
  func refused(old: String, new: String, place: String) throws {
    #expect(text.contains(old))
    let error = #expect(throws: PackageError.self) {
      try UpdateIndex(Array(text.replacing(old, with: new).utf8), name: "index.json")
    }
    #expect(error?.code == .indexDamaged && error?.message.hasPrefix("index.json:") == true)
    #expect(error?.message.contains(" \(place): ") == true, "\(error?.message ?? "")")
  }

  @Test("a version stands once") func twice() {
    let index = fixture.index(packages: [IndexFixture.package(), IndexFixture.package(percentage: 5)])
    #expect(throws: PackageError.self) { try UpdateIndex(index.bytes, name: "index.json") }
  }

  @Test("a text that is cut anywhere is none") func cut() {
    let bytes = fixture.index().bytes
    for count in stride(from: 0, to: bytes.count - 2, by: 7) {
      #expect(throws: PackageError.self) { try UpdateIndex(Array(bytes.prefix(count)), name: "index.json") }
    }
  }

  @Test("signatures are lines of a fixed length") func signatures() throws {
    let bytes = fixture.index().bytes
    let other = PublisherKeyPair()
    let signed = try IndexSignatures(of: bytes, by: [fixture.pair, other])
    #expect(try IndexSignatures(signed.bytes, name: "s").signers(of: bytes) == [fixture.pair.key, other.key])
    for damaged in [
      Array(signed.bytes.dropLast()), signed.bytes + signed.bytes, signed.bytes + [10],
      Array(String(decoding: signed.bytes, as: UTF8.self).replacing(" ", with: "-").utf8),
      Array(repeating: 0x30, count: 10_000),
    ] {
      let error = #expect(throws: PackageError.self) { try IndexSignatures(damaged, name: "s") }
      #expect(error?.code == .indexDamaged)
    }
  }
}
