import Foundation
import GatewayAPI
import MeterDrivers
import TestSupport
import Testing

@testable import GatewayEngine
@testable import GatewayTools

@Suite("Looking for updates over HTTP", .timeLimit(.minutes(60))) struct UpdateCheckTests {
  private func withSource(
    _ body: (UpdateFixture, FolderServer, DriverUpdateDesk) async throws -> Void
  ) async throws {
    try await Sandbox.with { sandbox in
      let fixture = try UpdateFixture(in: sandbox)
      try await fixture.install()
      _ = try await fixture.pack("1.1.0")
      try fixture.index { $0.changelogs = ["org.example.scale@1.1.0": "Reads the second user, too."] }
      let server = try FolderServer(fixture.folder)
      let owner = try fixture.owner()
      try owner.updates.add(server.base, takesBeta: false)
      try await body(fixture, server, owner.updates)
    }
  }

  @Test("what is newer is offered with what has changed, and fetched once while it stays") func offered() async throws {
    try await withSource { fixture, server, desk in
      for round in 1...2 {
        let found = try await desk.check(fixture.locations.registrySources, now: fixture.now)
        let offer = try #require(found.offers.first)
        #expect(offer.standing == "available" && offer.installed == "1.0.0" && offer.version == "1.1.0")
        #expect(offer.changelog == "Reads the second user, too.")
        #expect(found.sources.first?.number == 1 && found.sources.first?.problem == nil, "round \(round)")
      }
      #expect(server.paths == ["index.json", "index.json.sig", "304 index.json", "index.json.sig"])
    }
  }

  @Test("what is not right is told by its code, and nothing is offered") func refused() async throws {
    try await withSource { fixture, server, desk in
      func code(now: Int64? = nil) async throws -> String? {
        let found = try await desk.check(fixture.locations.registrySources, now: now ?? fixture.now)
        #expect(found.offers.isEmpty == (found.sources.first?.problem != nil))
        return found.sources.first?.problem?.code
      }
      let good = try [UInt8](Data(contentsOf: URL(filePath: "\(fixture.folder)/index.json")))
      var tampered = good
      tampered[good.count / 2] ^= 1
      let elsewhere = try FolderServer(fixture.folder)
      let cases: [(FolderServer.Fault, String)] = [
        (.other(tampered), "bad_signature"), (.other(good + [0x20]), "bad_signature"), (.other([]), "bad_signature"),
        (.cut, "index_unreachable"), (.redirect("\(elsewhere.base)/index.json"), "index_unreachable"),
        (.other(Array(repeating: 0x20, count: UpdateIndex.sizeLimit + 1)), "index_damaged"),
      ]
      for (fault, expected) in cases {
        server.set(fault, "index.json")
        #expect(try await code() == expected)
      }
      #expect(elsewhere.paths.isEmpty)
      server.set(nil, "index.json")
      #expect(try await code(now: fixture.now + 31 * UpdateFixture.day) == "index_expired")
      let foreign = PublisherKeyPair()
      server.set(.other(try IndexSignatures(of: good, by: [foreign]).bytes), "index.json.sig")
      #expect(try await code() == "untrusted_key")
      server.set(.other([0x31]), "index.json.sig")
      #expect(try await code() == "index_damaged")
      server.set(nil, "index.json.sig")
      #expect(try await code() == nil)
    }
  }

  @Test("an index that stays is held against the signature that is there now") func signedAnew() async throws {
    try await withSource { fixture, server, desk in
      func look() async throws -> GatewayError.Written? {
        try await desk.check(fixture.locations.registrySources, now: fixture.now).sources.first?.problem
      }
      #expect(try await look() == nil)
      let index = try [UInt8](Data(contentsOf: URL(filePath: "\(fixture.folder)/index.json")))
      let (own, other) = (try PublisherKeyPair(file: fixture.key), PublisherKeyPair())
      server.set(.other(try IndexSignatures(of: index, by: [other]).bytes), "index.json.sig")
      #expect(try await look()?.code == "untrusted_key")
      server.set(.other(try IndexSignatures(of: index, by: [other, own]).bytes), "index.json.sig")
      #expect(try await look() == nil)
      #expect(server.paths.suffix(2) == ["304 index.json", "index.json.sig"])
    }
  }

  @Test("an index that was brought back is refused, also after a restart and when the source was away") func older()
    async throws
  {
    try await withSource { fixture, server, desk in
      let first = try ["index.json", "index.json.sig"].map {
        try [UInt8](Data(contentsOf: URL(filePath: "\(fixture.folder)/\($0)")))
      }
      try fixture.index()
      #expect(try await desk.check(fixture.locations.registrySources, now: fixture.now).sources.first?.number == 2)
      server.set(.other(first[0]), "index.json")
      server.set(.other(first[1]), "index.json.sig")
      try desk.remove(server.base)
      try desk.add("\(server.base)/", takesBeta: false)
      let found = try await desk.check(fixture.locations.registrySources, now: fixture.now)
      #expect(found.sources.first?.problem?.code == "index_older" && found.offers.isEmpty)
    }
  }

  @Test("a package that is not what the index says is not installed") func packages() async throws {
    try await withSource { fixture, server, desk in
      let found = try await desk.check(fixture.locations.registrySources, now: fixture.now)
      let offer = try #require(found.offers.first)
      let name = "org.example.scale-1.1.0.mhdriver"
      let bytes = try [UInt8](Data(contentsOf: URL(filePath: "\(fixture.folder)/\(name)")))
      var changed = bytes
      changed[bytes.count - 1] ^= 1
      let cases: [(FolderServer.Fault, PackageError.Code)] = [
        (.other(changed), .packageMismatch), (.other(bytes + [0]), .packageMismatch),
        (.other(Array(bytes.dropLast())), .packageMismatch), (.cut, .indexUnreachable),
        (.redirect("\(server.base)/index.json"), .indexUnreachable),
      ]
      let updates = GatewayUpdates(locations: fixture.locations)
      for (fault, expected) in cases {
        server.set(fault, name)
        let error = await #expect(throws: PackageError.self) { _ = try await updates.install(offer) }
        #expect(error?.code == expected)
        #expect(try fixture.version() == "1.0.0")
      }
      server.set(nil, name)
      #expect(try await updates.install(offer).version == "1.1.0")
      #expect(try fixture.version() == "1.1.0")
    }
  }

  @Test(
    "a source is https, this machine or a folder",
    arguments: [
      ("https://drivers.example/meters/", "https://drivers.example/meters"), ("/srv/drivers/", "/srv/drivers"),
      ("file:///srv/drivers", "/srv/drivers"), ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
      ("http://drivers.example", nil), ("ftp://drivers.example", nil), ("drivers", nil), ("/srv/../etc", nil),
      ("https://user:secret@drivers.example", nil), ("https://drivers.example/?a=b", nil), ("", nil),
    ] as [(String, String?)])
  func sources(text: String, read: String?) {
    #expect((try? DriverSource(text).text) == read)
  }
}
