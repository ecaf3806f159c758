import CMeterDriver
import DriverContract
import Testing

@testable import MeterDrivers

/// The services behind `meterhost.crypto/1`, against the vectors that the standards publish.
@Suite struct KeyServiceTests {
  private let key128 = "2b7e151628aed2a6abf7158809cf4f3c"
  private let text =
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    + "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"

  private func service(_ key: String, isReadable: Bool = false) -> KeyService {
    KeyService(keys: ["credential/k": SessionKey(bytes(key), isReadable: isReadable)])
  }

  @Test("keys whose names look the same and have other bytes are two")
  func exactNames() {
    let names = ["user/secret/jos\u{E9}", "user/secret/jose\u{301}"]
    let service = KeyService()
    for (name, value) in zip(names, UInt8(1)...2) {
      #expect(service.answer(.put(name: name, value: [value])).status == MH_OK)
    }
    #expect(names.map { service.answer(.value(name: $0)).output } == [[1], [2]])
  }

  struct CipherVector: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var algorithm: UInt32
    var key: String
    var nonce = ""
    var associated = ""
    var plain: String
    var cipher: String
    var tag: UInt32 = 0
  }

  static let text =
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    + "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"

  static let ciphers: [CipherVector] = [
    CipherVector(
      testDescription: "SP 800-38A F.1.1 ECB-AES128", algorithm: MH_CIPHER_AES_ECB,
      key: "2b7e151628aed2a6abf7158809cf4f3c", plain: text,
      cipher: "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf"
        + "43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4"),
    CipherVector(
      testDescription: "SP 800-38A F.1.3 ECB-AES192, first block", algorithm: MH_CIPHER_AES_ECB,
      key: "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b", plain: String(text.prefix(32)),
      cipher: "bd334f1d6e45f25ff712a214571fa5cc"),
    CipherVector(
      testDescription: "SP 800-38A F.1.5 ECB-AES256, first block", algorithm: MH_CIPHER_AES_ECB,
      key: "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4", plain: String(text.prefix(32)),
      cipher: "f3eed1bdb5d2a03c064b5a7e3db181f8"),
    CipherVector(
      testDescription: "SP 800-38A F.2.1 CBC-AES128", algorithm: MH_CIPHER_AES_CBC,
      key: "2b7e151628aed2a6abf7158809cf4f3c", nonce: "000102030405060708090a0b0c0d0e0f", plain: text,
      cipher: "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
        + "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"),
    CipherVector(
      testDescription: "SP 800-38A F.5.1 CTR-AES128", algorithm: MH_CIPHER_AES_CTR,
      key: "2b7e151628aed2a6abf7158809cf4f3c", nonce: "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff", plain: text,
      cipher: "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
        + "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee"),
    CipherVector(
      testDescription: "SP 800-38C example 1", algorithm: MH_CIPHER_AES_CCM, key: "404142434445464748494a4b4c4d4e4f",
      nonce: "10111213141516", associated: "0001020304050607", plain: "20212223", cipher: "7162015b4dac255d", tag: 4),
    CipherVector(
      testDescription: "SP 800-38C example 2", algorithm: MH_CIPHER_AES_CCM, key: "404142434445464748494a4b4c4d4e4f",
      nonce: "1011121314151617", associated: "000102030405060708090a0b0c0d0e0f",
      plain: "202122232425262728292a2b2c2d2e2f", cipher: "d2a1f0e051ea5f62081a7792073d593d1fc64fbfaccd", tag: 6),
    CipherVector(
      testDescription: "SP 800-38C example 3", algorithm: MH_CIPHER_AES_CCM, key: "404142434445464748494a4b4c4d4e4f",
      nonce: "101112131415161718191a1b", associated: "000102030405060708090a0b0c0d0e0f10111213",
      plain: "202122232425262728292a2b2c2d2e2f3031323334353637",
      cipher: "e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5484392fbc1b09951", tag: 8),
    CipherVector(
      testDescription: "RFC 3610 packet vector 1", algorithm: MH_CIPHER_AES_CCM,
      key: "c0c1c2c3c4c5c6c7c8c9cacbcccdcecf", nonce: "00000003020100a0a1a2a3a4a5", associated: "0001020304050607",
      plain: "08090a0b0c0d0e0f101112131415161718191a1b1c1d1e",
      cipher: "588c979a61c663d2f066d0c2c0f989806d5f6b61dac38417e8d12cfdf926e0", tag: 8),
    CipherVector(
      testDescription: "GCM specification, test case 2", algorithm: MH_CIPHER_AES_GCM,
      key: "00000000000000000000000000000000", nonce: "000000000000000000000000",
      plain: "00000000000000000000000000000000",
      cipher: "0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf", tag: 16),
    CipherVector(
      testDescription: "GCM specification, test case 1", algorithm: MH_CIPHER_AES_GCM,
      key: "00000000000000000000000000000000", nonce: "000000000000000000000000", plain: "",
      cipher: "58e2fccefa7e3061367f1d57a4e7455a", tag: 16),
  ]

  private func request(_ vector: CipherVector, _ direction: UInt32, _ input: [UInt8]) -> ServiceRequest {
    .cipher(
      algorithm: UInt16(vector.algorithm), direction: UInt16(direction), tagLength: vector.tag, key: "credential/k",
      nonce: bytes(vector.nonce), associated: bytes(vector.associated), input: input)
  }

  @Test(arguments: ciphers)
  func ciphersGiveThePublishedBytes(_ vector: CipherVector) {
    let service = service(vector.key)
    let sealed = service.answer(request(vector, MH_CIPHER_ENCRYPT, bytes(vector.plain)))
    #expect(sealed == ServiceAnswer(status: MH_OK, output: bytes(vector.cipher)))
    let opened = service.answer(request(vector, MH_CIPHER_DECRYPT, bytes(vector.cipher)))
    #expect(opened == ServiceAnswer(status: MH_OK, output: bytes(vector.plain)))
  }

  @Test(arguments: ciphers.filter { $0.tag > 0 })
  func aWrongTagTextNonceOrHeaderIsRefused(_ vector: CipherVector) {
    let service = service(vector.key)
    for index in bytes(vector.cipher).indices {
      var damaged = bytes(vector.cipher)
      damaged[index] ^= 0x80
      let answer = service.answer(request(vector, MH_CIPHER_DECRYPT, damaged))
      #expect(answer == ServiceAnswer(status: MH_E_CRYPTO))
    }
    var other = vector
    other.associated += "00"
    #expect(service.answer(request(other, MH_CIPHER_DECRYPT, bytes(vector.cipher))).status == MH_E_CRYPTO)
  }

  @Test(arguments: [
    ("", "2b7e151628aed2a6abf7158809cf4f3c", MH_CIPHER_AES_ECB, UInt32(1), 15),
    ("00", "2b7e151628aed2a6abf7158809cf4f3c", MH_CIPHER_AES_ECB, 0, 16),
    ("", "2b7e151628aed2a6abf7158809cf4f", MH_CIPHER_AES_ECB, 0, 16),
    ("000102030405060708090a0b0c0d0e", "2b7e151628aed2a6abf7158809cf4f3c", MH_CIPHER_AES_CBC, 0, 16),
    ("000102030405060708090a0b0c0d0e0f", "2b7e151628aed2a6abf7158809cf4f3c", MH_CIPHER_AES_CBC, 0, 17),
    ("000102030405060708090a0b0c0d0e0f", "2b7e151628aed2a6abf7158809cf4f3c", MH_CIPHER_AES_CTR, 4, 17),
    ("000102030405", "2b7e151628aed2a6abf7158809cf4f3c", MH_CIPHER_AES_CCM, 4, 16),
    ("000102030405060708090a0b0c0d", "2b7e151628aed2a6abf7158809cf4f3c", MH_CIPHER_AES_CCM, 4, 16),
    ("00010203040506070809", "2b7e151628aed2a6abf7158809cf4f3c", MH_CIPHER_AES_CCM, 5, 16),
    ("00010203040506070809", "2b7e151628aed2a6abf7158809cf4f3c", MH_CIPHER_AES_CCM, 2, 16),
    ("00010203040506070809", "2b7e151628aed2a6abf7158809cf4f3c", MH_CIPHER_AES_CCM, 18, 16),
    ("00010203040506070809", "2b7e151628aed2a6abf7158809cf4f3c", MH_CIPHER_AES_GCM, 16, 16),
    ("000102030405060708090a0b", "2b7e151628aed2a6abf7158809cf4f3c", MH_CIPHER_AES_GCM, 12, 16),
  ])
  func lengthsThatTheAlgorithmDoesNotHaveAreArguments(
    _ nonce: String, _ key: String, _ algorithm: UInt32, _ tag: UInt32, _ length: Int
  ) {
    for direction in [MH_CIPHER_ENCRYPT, MH_CIPHER_DECRYPT] {
      let answer = service(key).answer(
        .cipher(
          algorithm: UInt16(algorithm), direction: UInt16(direction), tagLength: tag, key: "credential/k",
          nonce: bytes(nonce), associated: [], input: [UInt8](repeating: 0, count: length)))
      #expect(answer == ServiceAnswer(status: algorithm == 9 ? MH_E_UNSUPPORTED : MH_E_ARG))
    }
  }

  @Test func anAlgorithmThatThisHostDoesNotKnowIsUnsupported() {
    for algorithm in [0, 6, 9, .max] as [UInt16] {
      let answer = service(key128).answer(
        .cipher(
          algorithm: algorithm, direction: UInt16(MH_CIPHER_ENCRYPT), tagLength: 0, key: "credential/k", nonce: [],
          associated: [], input: [UInt8](repeating: 0, count: 16)))
      #expect(answer == ServiceAnswer(status: MH_E_UNSUPPORTED))
    }
    for algorithm in [0, 3, .max] as [UInt32] {
      let answer = service(key128).answer(.mac(algorithm: algorithm, key: "credential/k", input: []))
      #expect(answer == ServiceAnswer(status: MH_E_UNSUPPORTED))
    }
  }

  @Test func inputsAboveTheLimitAreArguments() {
    let service = service(key128)
    for (count, isTaken) in [(Int(MH_CRYPTO_INPUT_MAX), true), (Int(MH_CRYPTO_INPUT_MAX) + 1, false)] {
      let input = [UInt8](repeating: 0, count: count)
      let answers = [
        service.answer(.sha256(input)),
        service.answer(.mac(algorithm: MH_MAC_HMAC_SHA256, key: "credential/k", input: input)),
        service.answer(
          .cipher(
            algorithm: UInt16(MH_CIPHER_AES_CTR), direction: UInt16(MH_CIPHER_ENCRYPT), tagLength: 0,
            key: "credential/k", nonce: [UInt8](repeating: 0, count: 16), associated: [], input: input)),
        service.answer(
          .cipher(
            algorithm: UInt16(MH_CIPHER_AES_GCM), direction: UInt16(MH_CIPHER_ENCRYPT), tagLength: 16,
            key: "credential/k", nonce: [UInt8](repeating: 0, count: 12), associated: input, input: [])),
      ]
      #expect(answers.map(\.status) == [Int32](repeating: isTaken ? MH_OK : MH_E_ARG, count: 4))
    }
  }

  @Test func aCiphertextShorterThanItsTagAndAnUnknownDirectionAreArguments() {
    for (direction, count) in [(MH_CIPHER_DECRYPT, 7), (0, 16), (3, 16)] as [(UInt32, Int)] {
      let answer = service(key128).answer(
        .cipher(
          algorithm: UInt16(MH_CIPHER_AES_CCM), direction: UInt16(direction), tagLength: 8, key: "credential/k",
          nonce: [UInt8](repeating: 0, count: 13), associated: [], input: [UInt8](repeating: 0, count: count)))
      #expect(answer.status == MH_E_ARG)
    }
    // A nonce of 13 bytes leaves two for the text's length.
    let tooLong = service(key128).answer(
      .cipher(
        algorithm: UInt16(MH_CIPHER_AES_CCM), direction: UInt16(MH_CIPHER_ENCRYPT), tagLength: 8, key: "credential/k",
        nonce: [UInt8](repeating: 0, count: 13), associated: [], input: [UInt8](repeating: 0, count: 65_536)))
    #expect(tooLong.status == MH_E_ARG)
  }

  @Test(arguments: [
    (0, "bb1d6929e95937287fa37d129b756746"), (16, "070a16b46b4d4144f79bdd9dd04a287c"),
    (40, "dfa66747de9ae63030ca32611497c827"), (64, "51f0bebf7e3b9d92fc49741779363cfe"),
  ])
  func cmacGivesTheBytesOfRFC4493(_ length: Int, _ expected: String) {
    let input = Array(bytes(text).prefix(length))
    let answer = service(key128).answer(.mac(algorithm: MH_MAC_AES_CMAC, key: "credential/k", input: input))
    #expect(answer == ServiceAnswer(status: MH_OK, output: bytes(expected)))
  }

  @Test(arguments: [
    (
      String(repeating: "0b", count: 20), "Hi There",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    ("4a656665", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
  ])
  func hmacGivesTheBytesOfRFC4231(_ key: String, _ input: String, _ expected: String) {
    let answer = service(key).answer(
      .mac(algorithm: MH_MAC_HMAC_SHA256, key: "credential/k", input: Array(input.utf8)))
    #expect(answer == ServiceAnswer(status: MH_OK, output: bytes(expected)))
  }

  @Test func sha256GivesTheBytesOfFIPS180() {
    let answer = service("00").answer(.sha256(Array("abc".utf8)))
    #expect(answer.output == bytes("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
    #expect(
      service("00").answer(.sha256([])).output
        == bytes("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
  }

  /// A key of the session is never handed out: it is compared by what it computes.
  private func expectKey(_ service: KeyService, _ name: String, is expected: String) {
    #expect(service.answer(.value(name: name)) == ServiceAnswer(status: MH_E_DENIED))
    let input: [UInt8] = [1, 2, 3]
    let known = self.service(expected).answer(.mac(algorithm: MH_MAC_HMAC_SHA256, key: "credential/k", input: input))
    #expect(service.answer(.mac(algorithm: MH_MAC_HMAC_SHA256, key: name, input: input)) == known)
  }

  @Test func hkdfGivesTheKeysOfRFC5869() {
    let service = service(String(repeating: "0b", count: 22))
    let first = service.answer(
      .derive(
        length: 42, key: "credential/k", salt: bytes("000102030405060708090a0b0c"), info: bytes("f0f1f2f3f4f5f6f7f8f9"),
        into: "session/a"))
    #expect(first == ServiceAnswer(status: MH_OK))
    expectKey(
      service, "session/a",
      is: "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
    let third = service.answer(.derive(length: 42, key: "credential/k", salt: [], info: [], into: "session/b"))
    #expect(third.status == MH_OK)
    expectKey(
      service, "session/b",
      is: "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")
    for length in [0, 255 * 32 + 1, .max] as [UInt32] {
      let answer = service.answer(.derive(length: length, key: "credential/k", salt: [], info: [], into: "session/c"))
      #expect(answer.status == MH_E_ARG)
    }
    for name in ["", "session/", "meter/secret/k", "credential/k", "session/" + String(repeating: "x", count: 100)] {
      let answer = service.answer(.derive(length: 16, key: "credential/k", salt: [], info: [], into: name))
      #expect(answer.status == MH_E_ARG)
    }
  }

  @Test func ecdhGivesTheSecretOfNISTsVector() {
    // CAVS 14.1, ECC CDH primitive, P-256, count 0.
    let point = bytes(
      "700c48f77f56584c5cc632ca65640db91b6bacce3a4df6b42ce7cc838833d287"
        + "db71e509e3fd9b060ddb20ba5c51dcc5948d46fbf640dfe0441782cab85fa4ac")
    let service = service("7d7dc5f71eb29ddaf80d6214632eeae03d9058af1fb6d22ed80badb62bc1a534")
    let answer = service.answer(.agree(privateKey: "credential/k", publicKey: point, into: "session/z"))
    #expect(answer == ServiceAnswer(status: MH_OK))
    expectKey(service, "session/z", is: "46fc62106420ff012e54a434fbdd2d25ccc5852060561e68040dd7778997bd7b")
    for index in [0, 31, 32, 63] {
      var outside = point
      outside[index] ^= 1
      let refused = service.answer(.agree(privateKey: "credential/k", publicKey: outside, into: "session/z"))
      #expect(refused.status == MH_E_CRYPTO)
    }
    let zero = [UInt8](repeating: 0, count: 64)
    #expect(
      service.answer(.agree(privateKey: "credential/k", publicKey: zero, into: "session/z")).status == MH_E_CRYPTO)
    #expect(
      service.answer(.agree(privateKey: "credential/k", publicKey: [4] + point, into: "session/z")).status == MH_E_ARG)
  }

  @Test func twoKeyPairsAgree() {
    let (one, two) = (KeyService(), KeyService())
    let first = one.answer(.makeKeyPair(into: "session/mine"))
    let second = two.answer(.makeKeyPair(into: "session/mine"))
    #expect(first.output.count == 64 && first.output != second.output)
    #expect(
      one.answer(.agree(privateKey: "session/mine", publicKey: second.output, into: "session/s")).status == MH_OK)
    #expect(two.answer(.agree(privateKey: "session/mine", publicKey: first.output, into: "session/s")).status == MH_OK)
    let macs = [one, two].map { $0.answer(.mac(algorithm: MH_MAC_HMAC_SHA256, key: "session/s", input: [1])) }
    #expect(macs[0] == macs[1] && macs[0].status == MH_OK)
    #expect(one.answer(.value(name: "session/mine")).status == MH_E_DENIED)
  }

  @Test func namesAreWhatTheyAre() {
    let service = KeyService(keys: [
      "credential/seen": SessionKey([1], isReadable: true), "credential/used": SessionKey([2], isReadable: false),
    ])
    #expect(service.answer(.value(name: "credential/seen")) == ServiceAnswer(status: MH_OK, output: [1]))
    #expect(service.answer(.value(name: "credential/used")).status == MH_E_DENIED)
    #expect(service.answer(.value(name: "credential/none")).status == MH_E_NOT_FOUND)
    #expect(service.answer(.mac(algorithm: 1, key: "credential/none", input: [])).status == MH_E_NOT_FOUND)
    #expect(service.answer(.mac(algorithm: 9, key: "credential/seen", input: [])).status == MH_E_UNSUPPORTED)
    #expect(service.answer(.put(name: "credential/seen", value: [3])).status == MH_E_ARG)
    #expect(service.answer(.put(name: "meter/secret/own", value: [3])).status == MH_OK)
    #expect(service.answer(.value(name: "meter/secret/own")).output == [3])
    #expect(service.answer(.put(name: "meter/secret/own", value: [])).status == MH_OK)
    #expect(service.answer(.value(name: "meter/secret/own")).status == MH_E_NOT_FOUND)
    #expect("\(SessionKey([1, 2, 3], isReadable: true))" == "<key>")
  }

  @Test func aSessionMakesOnlySoManyKeys() {
    let service = service(key128)
    for index in 0..<KeyService.mostSessionKeys {
      let answer = service.answer(
        .derive(length: 16, key: "credential/k", salt: [], info: [], into: "session/\(index)"))
      #expect(answer.status == MH_OK)
    }
    #expect(service.answer(.makeKeyPair(into: "session/more")).status == MH_E_DENIED)
    #expect(service.answer(.makeKeyPair(into: "session/0")).status == MH_OK)
  }
}

private func bytes(_ hex: String) -> [UInt8] {
  var digits = hex[...]
  var bytes: [UInt8] = []
  while digits.count >= 2 {
    bytes.append(UInt8(digits.prefix(2), radix: 16) ?? 0)
    digits = digits.dropFirst(2)
  }
  return bytes
}
