import CCrypto
import CMeterDriver

/// One use of a cipher whose lengths are those that its algorithm has (`mh_cipher`).
struct CipherUse {
  private let mode: Int32
  private let encrypts: Bool
  private let tagLength: Int
  private let nonce: [UInt8]
  private let associated: [UInt8]
  private let input: [UInt8]

  init(
    algorithm: UInt16, direction: UInt16, tagLength: UInt32, nonce: [UInt8], associated: [UInt8], input: [UInt8]
  ) throws(KeyRefusal) {
    guard [input, associated].allSatisfy({ $0.count <= Int(MH_CRYPTO_INPUT_MAX) }) else { throw .argument }
    guard direction == UInt16(MH_CIPHER_ENCRYPT) || direction == UInt16(MH_CIPHER_DECRYPT) else { throw .argument }
    encrypts = direction == UInt16(MH_CIPHER_ENCRYPT)
    let (fits, mode): (Bool, Int32) =
      switch UInt32(algorithm) {
      case MH_CIPHER_AES_ECB:
        (nonce.isEmpty && input.count % 16 == 0 && associated.isEmpty && tagLength == 0, CCRYPTO_ECB)
      case MH_CIPHER_AES_CBC:
        (nonce.count == 16 && input.count % 16 == 0 && associated.isEmpty && tagLength == 0, CCRYPTO_CBC)
      case MH_CIPHER_AES_CTR: (nonce.count == 16 && associated.isEmpty && tagLength == 0, CCRYPTO_CTR)
      case MH_CIPHER_AES_CCM: (Self.fitsCCM(nonce, tagLength, input), CCRYPTO_CCM)
      case MH_CIPHER_AES_GCM: (nonce.count == 12 && tagLength == 16, CCRYPTO_GCM)
      default: throw .unsupported
      }
    guard fits, encrypts || input.count >= Int(tagLength) else { throw .argument }
    self.mode = mode
    self.tagLength = Int(tagLength)
    self.nonce = nonce
    self.associated = associated
    self.input = input
  }

  /// NIST SP 800-38C A.1: with a nonce of n bytes the text's length has 15 - n bytes.
  private static func fitsCCM(_ nonce: [UInt8], _ tagLength: UInt32, _ input: [UInt8]) -> Bool {
    guard (7...13).contains(nonce.count), (4...16).contains(tagLength), tagLength % 2 == 0 else { return false }
    return input.count < 1 << (8 * min(15 - nonce.count, 7))
  }

  func run(key: [UInt8]) throws(KeyRefusal) -> [UInt8] {
    guard [16, 24, 32].contains(key.count) else { throw .argument }
    let length = encrypts ? input.count + tagLength : input.count - tagLength
    var status = CCRYPTO_BROKEN
    let output = [UInt8](unsafeUninitializedCapacity: max(length, 1)) { out, count in
      out.initialize(repeating: 0)
      status = key.withCrypto { key in
        nonce.withCrypto { nonce in
          associated.withCrypto { associated in
            input.withCrypto { input in
              ccrypto_aes(mode, encrypts ? 1 : 0, key, nonce, associated, tagLength, input, out.baseAddress)
            }
          }
        }
      }
      count = length
    }
    guard status == CCRYPTO_OK else { throw .crypto }
    return output
  }
}

extension [UInt8] {
  /// Lends the bytes to C.
  func withCrypto<Result>(_ body: (ccrypto_bytes) -> Result) -> Result {
    withUnsafeBufferPointer { body(ccrypto_bytes(p: $0.baseAddress, n: $0.count)) }
  }
}
