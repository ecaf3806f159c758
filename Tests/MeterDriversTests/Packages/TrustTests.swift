import Foundation
import HostPrimitives
import TestSupport
import Testing

@testable import MeterDrivers

@Suite("Whom the operator trusts", .timeLimit(.minutes(60))) struct TrustTests {
  private let old = PublisherKeyPair()
  private let new = PublisherKeyPair()
  private let foreign = PublisherKeyPair()

  private func list(revoked: [PublisherKey] = [], floors: [TrustList.Floor] = []) -> TrustList {
    TrustList(
      publishers: [
        .init(id: "a", name: "A", drivers: ["org.example."], keys: [old.key, new.key], revoked: revoked),
        .init(id: "b", name: "B", drivers: ["com.other.one"], keys: [foreign.key]),
      ], floors: floors)
  }

  private func refusal(_ content: PackageContent, _ list: TrustList) -> PackageError.Code? {
    #expect(throws: PackageError.self) { _ = try content.publisher(in: list) }?.code
  }

  @Test func whoMaySignIsFoundByKeyAndDriver() throws {
    let plain = try PackageFormatTests.small(nil)
    #expect(refusal(plain, list()) == .unsigned)
    #expect(try plain.signed(with: old).publisher(in: list()).id == "a")
    #expect(refusal(try plain.signed(with: PublisherKeyPair()), list()) == .untrustedKey)
    #expect(refusal(try plain.signed(with: foreign), list()) == .notAllowed)
    #expect(refusal(try plain.signed(with: old), TrustList()) == .untrustedKey)
    // Of several signatures one that counts is enough, and the order is none of the signers' business.
    let several = try plain.signed(with: PublisherKeyPair()).signed(with: foreign).signed(with: old)
    #expect(try several.publisher(in: list()).id == "a")
    #expect(several.signatures.count == 3)
    let again = try plain.signed(with: old).signed(with: foreign)
    #expect(try again.bytes == plain.signed(with: foreign).signed(with: old).signed(with: old).bytes)
  }

  @Test func aPrefixEndsAtADot() {
    let publisher = list().publishers[0]
    #expect(publisher.maySign(forDriver: "org.example.a"))
    #expect(!publisher.maySign(forDriver: "org.example") && !publisher.maySign(forDriver: "org.examples.a"))
    #expect(list().publishers[1].maySign(forDriver: "com.other.one"))
    #expect(!list().publishers[1].maySign(forDriver: "com.other.one.more"))
  }

  @Test func aRevokedKeyCountsNoMoreAndAnotherOneDoes() throws {
    let plain = try PackageFormatTests.small(nil)
    let revoking = list(revoked: [old.key])
    #expect(refusal(try plain.signed(with: old), revoking) == .revokedKey)
    #expect(try plain.signed(with: old).signed(with: new).publisher(in: revoking).id == "a")
  }

  @Test func belowAFloorNothingHelps() throws {
    let signed = try PackageFormatTests.small(old)
    for (pattern, version, isRefused) in [
      ("org.example.a", SemanticVersion(1, 0, 0), false), ("org.example.a", SemanticVersion(1, 0, 1), true),
      ("org.example.", SemanticVersion(2, 0, 0), true), ("org.example.b", SemanticVersion(9, 0, 0), false),
    ] {
      let list = list(floors: [.init(drivers: pattern, version: version)])
      if isRefused {
        #expect(refusal(signed, list) == .belowFloor)
      } else {
        #expect(try signed.publisher(in: list).id == "a")
      }
    }
  }

  @Test func aSignatureOfOtherContentMakesThePackageSuspect() throws {
    let signed = try PackageFormatTests.small(old)
    let fragment = signed.files["registry.json"] ?? []
    let manifest = signed.manifest
    let other = PackageContent(
      manifest: PackageManifest(
        id: manifest.id, version: manifest.version, vendor: manifest.vendor, license: manifest.license,
        abi: manifest.abi, drivers: manifest.drivers, libraries: manifest.libraries,
        files: manifest.files.map {
          $0.path == "LICENSE" ? .init(path: $0.path, size: 3, sha256: BundleHash(of: Array("GPL".utf8))) : $0
        }),
      signatures: signed.signatures,
      files: signed.files.merging(["LICENSE": Array("GPL".utf8), "registry.json": fragment]) { $1 }, name: "other")
    // It reads well: only the signature tells.
    let read = try PackageContent(other.bytes, name: "other")
    #expect(refusal(read, list()) == .badSignature)
    // A right signature beside a wrong one helps nobody.
    #expect(refusal(try read.signed(with: new), list()) == .badSignature)
  }

  // MARK: - The file

  @Test func theListIsWrittenAndReadAgain() async throws {
    try await Sandbox.with { sandbox in
      let path = sandbox.path("trust.json")
      #expect(try TrustList(file: path) == TrustList())
      var written = list(revoked: [foreign.key], floors: [.init(drivers: "org.", version: SemanticVersion(1, 2, 3))])
      written.requiresSignatures = true
      try written.write(to: path)
      #expect(try TrustList(file: path) == written)
      try written.write(to: path)
      #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.root.path) == ["trust.json"])
    }
  }

  @Test func aListThatItsReaderWouldRefuseIsNotWritten() async throws {
    try await Sandbox.with { sandbox in
      let path = sandbox.path("trust.json")
      let good = list()
      try good.write(to: path)
      let changes: [(inout TrustList) -> Void] = [
        { $0.publishers[0].name = "" }, { $0.publishers[0].name = String(repeating: "n", count: 129) },
        { $0.publishers[0].name = "a\u{7}b" },
        { $0.publishers[0].keys = (0..<17).map { _ in PublisherKeyPair().key } },
        { $0.publishers[0].revoked = (0..<257).map { _ in PublisherKeyPair().key } },
        { $0.publishers[0].drivers = (0..<257).map { "org.example.d\($0)" } },
        { list in
          list.publishers = (0..<1_001).map { .init(id: "p\($0)", name: "P", drivers: ["org."], keys: []) }
        },
        { list in
          list.floors = (0..<4_097).map { .init(drivers: "org.example.d\($0)", version: SemanticVersion(1, 0, 0)) }
        },
        { $0.publishers[1].id = "a" },
      ]
      for change in changes {
        let error = #expect(throws: PackageError.self) { _ = try TrustList.change(file: path) { change(&$0) } }
        #expect(error?.code == .trustList)
        #expect(try TrustList(file: path) == good)
      }
    }
  }

  @Test func oneChangeAtATime() async throws {
    try await Sandbox.with { sandbox in
      let path = sandbox.path("trust.json")
      let outer = try TrustList.change(file: path) { list throws(PackageError) in
        let inner = #expect(throws: PackageError.self) { _ = try TrustList.change(file: path) { _ in } }
        #expect(inner?.code == .busy)
        list.publishers = self.list().publishers
      }
      #expect(try TrustList(file: path) == outer && outer == list())
      // The lock goes with the change.
      _ = try TrustList.change(file: path) { $0.allowsUnsigned = true }
      #expect(try TrustList(file: path).allowsUnsigned)
    }
  }

  @Test(arguments: [
    "", "{}", "{\"trust_version\": 2}", "{\"trust_version\": 1, \"revokd\": []}", "{\"trust_version\": 1} ",
    "{\"trust_version\": 1, \"publishers\": [{\"id\": \"a\", \"name\": \"A\", \"drivers\": [\"org.\"], \"keys\": [\"00\"]}]}",
    "{\"trust_version\": 1, \"publishers\": [{\"id\": \"a\", \"name\": \"A\", \"drivers\": [\"\"], \"keys\": []}]}",
    "{\"trust_version\": 1, \"publishers\": [{\"id\": \"a\", \"name\": \"A\", \"drivers\": [\".\"], \"keys\": []}]}",
    "{\"trust_version\": 1, \"floors\": [{\"drivers\": \"org.\", \"version\": \"1\"}]}",
    "{\"trust_version\": 1, \"allow_unsigned\": \"yes\"}",
  ])
  func aListThatIsWrongTrustsNobody(text: String) async throws {
    try await Sandbox.with { sandbox in
      let path = try sandbox.file("trust.json", text)
      guard text != "{\"trust_version\": 1} " else {
        #expect(try TrustList(file: path) == TrustList())
        return
      }
      #expect(#expect(throws: PackageError.self) { _ = try TrustList(file: path) }?.code == .trustList)
    }
  }

  @Test func aListThatOthersMayChangeTrustsNobody() async throws {
    try await Sandbox.with { sandbox in
      let path = try sandbox.file("trust.json", "{\"trust_version\": 1}", mode: 0o666)
      #expect(#expect(throws: PackageError.self) { _ = try TrustList(file: path) }?.message.contains("others") == false)
      #expect(#expect(throws: PackageError.self) { _ = try TrustList(file: path) }?.code == .trustList)
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
  func whatBelongsToAnotherUserIsNotUsed() async throws {
    try await Sandbox.with { sandbox in
      let (path, key) = (sandbox.path("trust.json"), sandbox.path("key"))
      try list().write(to: path)
      try old.write(to: key)
      for file in [path, key] { try #require(chown(file, 12_345, 12_345) == 0) }
      let error = #expect(throws: PackageError.self) { _ = try TrustList(file: path) }
      #expect(error?.code == .trustList && error?.message.contains("12345") == true)
      #expect(#expect(throws: PackageError.self) { _ = try PublisherKeyPair(file: key) }?.code == .publisherKey)
    }
  }

  // MARK: - Keys

  @Test func aKeyFileIsItsOwnersOnly() async throws {
    try await Sandbox.with { sandbox in
      let path = sandbox.path("key")
      try old.write(to: path)
      #expect(try PublisherKeyPair(file: path).key == old.key)
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      // A key that is there is not overwritten.
      #expect(#expect(throws: PackageError.self) { try new.write(to: path) }?.code == .publisherKey)
      #expect(try PublisherKeyPair(file: path).key == old.key)
      try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
      #expect(#expect(throws: PackageError.self) { _ = try PublisherKeyPair(file: path) }?.code == .publisherKey)
      for text in ["", "meterhost-publisher-key-1 00\n", "\(old.key)\n"] {
        let wrong = try sandbox.file("wrong", text)
        #expect(#expect(throws: PackageError.self) { _ = try PublisherKeyPair(file: wrong) }?.code == .publisherKey)
      }
    }
  }

  /// RFC 8032, section 7.1, test 3: what we verify is Ed25519.
  @Test func signaturesAreEd25519() throws {
    let key = try #require(
      PublisherKey(hexadecimal: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025"))
    let value = try #require(
      [UInt8](
        hexadecimal: ("6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
          + "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a").utf8))
    #expect(key.accepts(value, over: [0xaf, 0x82]))
    #expect(!key.accepts(value, over: [0xaf, 0x83]))
    #expect(!key.accepts(Array(value.dropLast()), over: [0xaf, 0x82]))
  }
}
