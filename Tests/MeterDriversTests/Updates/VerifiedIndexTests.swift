import Foundation
import TestSupport
import Testing

@testable import MeterDrivers

@Suite("Whether an index is believed", .timeLimit(.minutes(60))) struct VerifiedIndexTests {
  private let fixture = IndexFixture()

  private func code(_ body: () throws -> VerifiedIndex) -> PackageError.Code? {
    do { _ = try body() } catch { return (error as? PackageError)?.code }
    return nil
  }

  @Test("one that a trusted key has signed is") func believed() throws {
    let verified = try fixture.verified(fixture.index())
    #expect(verified.publisher.id == "example" && verified.index.number == 7)
  }

  @Test("a changed byte is found anywhere") func tampered() throws {
    let bytes = fixture.index().bytes
    let signatures = try IndexSignatures(of: bytes, by: [fixture.pair]).bytes
    for place in stride(from: 0, to: bytes.count, by: 11) {
      var changed = bytes
      changed[place] ^= 1
      let found = code {
        try VerifiedIndex(changed, signatures: signatures, list: fixture.list, memory: nil, now: IndexFixture.now)
      }
      #expect(found == .badSignature)
    }
  }

  @Test("a signature over anything else than an index is none: a package's does not count") func separated() throws {
    let bytes = fixture.index().bytes
    let value = try fixture.pair.signature(over: Array("MeterHost driver package 1\n".utf8) + bytes)
    let line = Array("\(fixture.pair.key) \(value.map { byte in String(format: "%02x", byte) }.joined())\n".utf8)
    let found = code {
      try VerifiedIndex(bytes, signatures: line, list: fixture.list, memory: nil, now: IndexFixture.now)
    }
    #expect(found == .badSignature)
  }

  @Test("a key that nobody trusts, and one that was revoked, count for nothing") func keys() throws {
    let index = fixture.index()
    #expect(code { try fixture.verified(index, list: TrustList()) } == .untrustedKey)
    var publisher = fixture.publisher()
    publisher.revoked = [fixture.pair.key]
    #expect(code { try fixture.verified(index, list: TrustList(publishers: [publisher])) } == .revokedKey)
    #expect(code { try fixture.verified(index, signedBy: []) } == .unsigned)
    // Signed by another key of the publisher's, and not by the one that it names.
    let other = PublisherKeyPair()
    publisher.revoked = []
    publisher.keys = [other.key]
    let list = TrustList(publishers: [publisher])
    #expect(code { try fixture.verified(index, list: list, signedBy: [other]) } == .badSignature)
    // A second signature that counts does not stand for the named one.
    #expect(code { try fixture.verified(index, list: list, signedBy: [fixture.pair, other]) } == .untrustedKey)
    publisher.keys = [fixture.pair.key]
    let both = TrustList(publishers: [publisher])
    #expect(code { try fixture.verified(index, list: both, signedBy: [other, fixture.pair]) } == nil)
    publisher.revoked = [fixture.pair.key]
    publisher.keys = [other.key]
    let late = TrustList(publishers: [publisher])
    #expect(code { try fixture.verified(index, list: late, signedBy: [other, fixture.pair]) } == .revokedKey)
  }

  @Test("it is of the publisher whose key it names, whoever else has signed it", arguments: [true, false])
  func owner(isFirst: Bool) throws {
    let other = PublisherKeyPair()
    let second = TrustList.Publisher(id: "second", name: "Second", drivers: ["org.other."], keys: [other.key])
    let list = TrustList(publishers: isFirst ? [second, fixture.publisher()] : [fixture.publisher(), second])
    let pairs = isFirst ? [other, fixture.pair] : [fixture.pair, other]
    #expect(try fixture.verified(fixture.index(), list: list, signedBy: pairs).publisher.id == "example")
  }

  @Test("a key for indexes signs no package") func indexKeys() throws {
    var publisher = fixture.publisher()
    (publisher.keys, publisher.indexKeys) = ([PublisherKeyPair().key], [fixture.pair.key])
    let list = TrustList(publishers: [publisher])
    #expect(code { try fixture.verified(fixture.index(), list: list) } == nil)
    let error = #expect(throws: PackageError.self) {
      try list.publisher(vouchingFor: ["org.example.scale"], with: [fixture.pair.key])
    }
    #expect(error?.code == .untrustedKey)
  }

  @Test("keys for indexes are kept in the trust list, and one without any is written as before") func kept() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "trust.json").path
    var publisher = fixture.publisher()
    try TrustList(publishers: [publisher]).write(to: file)
    #expect(!(try String(contentsOfFile: file, encoding: .utf8)).contains("index_keys"))
    publisher.indexKeys = [PublisherKeyPair().key]
    try TrustList(publishers: [publisher]).write(to: file)
    #expect(try TrustList(file: file).publishers == [publisher])
  }

  @Test("its time is over at its end, and has not come long before its beginning") func time() {
    let (now, day) = (IndexFixture.now, IndexFixture.day)
    #expect(code { try fixture.verified(fixture.index(expires: now)) } == .indexExpired)
    #expect(code { try fixture.verified(fixture.index(expires: now + 1_000_000)) } == nil)
    #expect(code { try fixture.verified(fixture.index(issued: now + 2 * day)) } == .indexExpired)
    #expect(code { try fixture.verified(fixture.index(issued: now + day / 2)) } == nil)
  }

  @Test("an older number, the same with other content, and another publisher's are refused") func memory() throws {
    let memory = IndexMemory(try fixture.verified(fixture.index(number: 7)))
    #expect(code { try fixture.verified(fixture.index(number: 6), memory: memory) } == .indexOlder)
    #expect(code { try fixture.verified(fixture.index(number: 7, packages: []), memory: memory) } == .indexOlder)
    #expect(code { try fixture.verified(fixture.index(number: 7), memory: memory) } == nil)
    #expect(code { try fixture.verified(fixture.index(number: 8, packages: []), memory: memory) } == nil)
    let list = TrustList(publishers: [fixture.publisher("other")])
    #expect(code { try fixture.verified(fixture.index(number: 8), list: list, memory: memory) } == .otherPublisher)
  }
}
