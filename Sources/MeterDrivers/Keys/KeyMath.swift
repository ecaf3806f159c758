import CCrypto
import CMeterDriver

/// What is computed with a key besides ciphers; lengths are checked here.
enum KeyMath {
  static func mac(_ algorithm: UInt32, key: [UInt8], _ input: [UInt8]) throws(KeyRefusal) -> [UInt8] {
    guard input.count <= Int(MH_CRYPTO_INPUT_MAX) else { throw .argument }
    switch algorithm {
    case MH_MAC_AES_CMAC:
      guard [16, 24, 32].contains(key.count) else { throw .argument }
      return try output(16) { out in key.withCrypto { key in input.withCrypto { ccrypto_cmac(key, $0, out) } } }
    case MH_MAC_HMAC_SHA256:
      return try output(32) { out in key.withCrypto { key in input.withCrypto { ccrypto_hmac_sha256(key, $0, out) } } }
    default: throw .unsupported
    }
  }

  static func sha256(_ input: [UInt8]) throws(KeyRefusal) -> [UInt8] {
    guard input.count <= Int(MH_CRYPTO_INPUT_MAX) else { throw .argument }
    return try output(32) { out in input.withCrypto { ccrypto_sha256($0, out) } }
  }

  static func derive(_ length: Int, key: [UInt8], salt: [UInt8], info: [UInt8]) throws(KeyRefusal) -> [UInt8] {
    guard (1...255 * 32).contains(length) else { throw .argument }
    return try output(length) { out in
      key.withCrypto { key in
        salt.withCrypto { salt in info.withCrypto { info in ccrypto_hkdf_sha256(key, salt, info, out, length) } }
      }
    }
  }

  static func makeKeyPair() throws(KeyRefusal) -> (privateKey: [UInt8], publicKey: [UInt8]) {
    var publicKey = [UInt8](repeating: 0, count: 64)
    let privateKey = try output(32) { out in
      publicKey.withUnsafeMutableBufferPointer { ccrypto_p256_make(out, $0.baseAddress) }
    }
    return (privateKey, publicKey)
  }

  static func agree(privateKey: [UInt8], publicKey: [UInt8]) throws(KeyRefusal) -> [UInt8] {
    guard privateKey.count == 32, publicKey.count == 64 else { throw .argument }
    return try output(32) { out in ccrypto_p256_agree(privateKey, publicKey, out) }
  }

  private static func output(
    _ length: Int, _ body: (UnsafeMutablePointer<UInt8>?) -> Int32
  ) throws(KeyRefusal) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: length)
    let status = bytes.withUnsafeMutableBufferPointer { body($0.baseAddress) }
    guard status == CCRYPTO_OK else { throw .crypto }
    return bytes
  }
}
