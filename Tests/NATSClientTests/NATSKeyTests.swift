import Foundation
import HostPrimitives
import TestSupport
import Testing

@testable import NATSClient

/// Vectors: the tests of NATS's own Ruby client (nats-io/nats-pure.rb `spec/nkeys_spec.rb`), of mmmries/nkeys (`test/nkeys_test.exs`), and
/// base32 of RFC 4648 section 10.
@Suite("Keys of NATS")
struct NATSKeyTests {
  struct Vector: Sendable {
    let seed: String
    let publicKey: String
    let nonce: String
    let signature: String
  }

  static let vectors = [
    Vector(
      seed: "SUAEL6RU3BSDAFKOHNTEOK5Q6FTM5FTAMWVIKBET6FHPO4JRII3CYELVNM",
      publicKey: "UCARKS2E3KVB7YORL2DG34XLT7PUCOL2SVM7YXV6ETHLW6Z46UUJ2VZ3", nonce: "jxb0seV48g5ahgw=",
      signature: "SOOgRmACgje-P1JcrZzs5vSlN70xu3h4tt6UQEO-VKfaD0BVuCeFqcoj6T1HYaLKW2UGa3F2DUVUSVh2rCUvCQ"),
    Vector(
      seed: "SUAMLK2ZNL35WSMW37E7UD4VZ7ELPKW7DHC3BWBSD2GCZ7IUQQXZIORRBU",
      publicKey: "UCK5N7N66OBOINFXAYC2ACJQYFSOD4VYNU6APEJTAVFZB2SVHLKGEW7L", nonce: "iBFByN3zQjAT7dQ",
      signature: "kagPGrixaWS5yuHqw9nTQrda1Q376fK3fRCGtYdF4_w2aSk-4O7Ca0JM0qvzm69HH6MoMps2yF6Q0Qs830JZCA"),
    Vector(
      seed: "SUAMLK2ZNL35WSMW37E7UD4VZ7ELPKW7DHC3BWBSD2GCZ7IUQQXZIORRBU",
      publicKey: "UCK5N7N66OBOINFXAYC2ACJQYFSOD4VYNU6APEJTAVFZB2SVHLKGEW7L", nonce: "PXoWU7zWAMt75FY",
      signature: "ZaAiVDgB5CeYoXoQ7cBCmq-ZllzUnGUoDVb8C7PilWvCs8XKfUchAUhz2P4BYAF--Dg3w05CqyQFRDiGL6LrDw"),
  ]

  @Test("a seed gives the public key that others find, and signs so that it holds", arguments: vectors)
  func vector(vector: Vector) throws {
    let pair = try #require(NATSKeyPair(seed: vector.seed))
    #expect(pair.seed == vector.seed)
    #expect(pair.publicKey.description == vector.publicKey)
    #expect(NATSPublicKey(vector.publicKey) == pair.publicKey)
    let known = try #require(Self.bytes(base64URL: vector.signature))
    #expect(pair.publicKey.accepts(known, over: Array(vector.nonce.utf8)))
    // Ed25519 (RFC 8032) always gives the same; the library may add chance, and then both hold.
    let ours = try #require(Self.bytes(base64URL: try pair.signature(of: vector.nonce)))
    #expect(pair.publicKey.accepts(ours, over: Array(vector.nonce.utf8)))
    #expect(!pair.publicKey.accepts(ours, over: Array((vector.nonce + "x").utf8)))
  }

  private static func bytes(base64URL text: String) -> [UInt8]? {
    let plain = text.replacing("-", with: "+").replacing("_", with: "/")
    return Data(base64Encoded: plain + String(repeating: "=", count: (4 - plain.count % 4) % 4)).map { Array($0) }
  }

  @Test("a seed or key with a letter changed, missing or too many is none")
  func changed() {
    let vector = Self.vectors[0]
    for text in [vector.seed, vector.publicKey] {
      let isSeed = text == vector.seed
      func isTaken(_ text: String) -> Bool { isSeed ? NATSKeyPair(seed: text) != nil : NATSPublicKey(text) != nil }
      #expect(isTaken(text))
      for index in text.indices {
        var letters = text
        letters.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
        #expect(!isTaken(letters))
        letters.remove(at: index)
        #expect(!isTaken(letters))
      }
      #expect(!isTaken(text + "A") && !isTaken(text.lowercased()) && !isTaken("") && !isTaken(" " + text))
    }
    #expect(NATSPublicKey(vector.seed) == nil && NATSKeyPair(seed: vector.publicKey) == nil)
    // Whole keys of an account and of a server.
    #expect(NATSPublicKey("AC5GRL36RQV7MJ2GT6WQSCKDKJKYTK4T2LGLWJ2SEJKRDHFOQQWGGFQL") == nil)
    #expect(NATSKeyPair(seed: "SAADJL5XAEM6BDYSWDTGVILJVY54CQXZM5ZLG4FRUAKB62HWRTPNSGXOHA") == nil)
  }

  @Test("new pairs are whole, and each another")
  func made() throws {
    let pairs = (0..<50).map { _ in NATSKeyPair() }
    #expect(Set(pairs.map(\.seed)).count == 50)
    for pair in pairs {
      #expect(pair.seed.hasPrefix("SU") && pair.seed.count == 58)
      #expect(pair.publicKey.description.hasPrefix("U") && pair.publicKey.description.count == 56)
      #expect(NATSKeyPair(seed: pair.seed)?.publicKey == pair.publicKey)
    }
  }

  @Test(
    "base32 without padding",
    arguments: [
      ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
      ("foobar", "MZXW6YTBOI"),
    ])
  func base32(plain: String, text: String) {
    #expect(Base32.text(Array(plain.utf8)) == text)
    #expect(Base32.bytes(text.utf8) == Array(plain.utf8))
  }

  @Test("base32 has one spelling", arguments: ["M", "MZ=", "MZ1", "mzxq", "MZXR", "MZX", "MZXW6YTBO"])
  func notBase32(text: String) { #expect(Base32.bytes(text.utf8) == nil) }

  @Test("the checksum's public check value")
  func checksum() { #expect(CRC16.checksum("123456789".utf8) == 0x31C3) }

  @Test("a file with a seed, for its owner's eyes only")
  func file() throws {
    let folder = try TemporaryFolder()
    let vector = Self.vectors[0]
    let file = folder.url.appending(path: "gw.nk")
    func write(_ text: String, mode: Int) throws {
      try text.write(to: file, atomically: false, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
    }
    for text in [
      vector.seed, "# gateway 7\n\(vector.seed)\n",
      "-----BEGIN USER NKEY SEED-----\n\(vector.seed)\n------END USER NKEY SEED------\n",
    ] {
      try write(text, mode: 0o600)
      #expect(try NATSKeyFile.read(file.path).publicKey.description == vector.publicKey)
    }
    for (text, mode) in [
      (vector.seed, 0o640), ("", 0o600), (vector.publicKey, 0o600), (vector.seed + "\n" + vector.seed, 0o600),
    ] {
      try write(text, mode: mode)
      #expect { try NATSKeyFile.read(file.path) } throws: {
        ($0 as? NATSError)?.code == .key && !"\($0)".contains(vector.seed)
      }
    }
    #expect { try NATSKeyFile.read(folder.url.appending(path: "none").path) } throws: {
      ($0 as? NATSError)?.code == .key
    }
  }
}
