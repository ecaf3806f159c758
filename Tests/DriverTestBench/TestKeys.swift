import CCrypto
import CMeterDriver

extension HostState {
  /// Gives the host real cryptography with these keys, by the names that drivers use.
  func use(keys: [String: [UInt8]]) {
    secrets = keys
    self.keys = [:]
    crypto.pointee = makeRealCrypto(self)
  }
}

/// AES-CCM, AES-CMAC, HMAC and SHA-256 as a host computes them; what no bundle of this repository calls is unsupported.
private func makeRealCrypto(_ state: HostState) -> mh_crypto {
  var crypto = mh_crypto()
  crypto.struct_size = UInt32(MemoryLayout<mh_crypto>.size)
  crypto.ctx = Unmanaged.passUnretained(state).toOpaque()
  crypto.cipher = { context, peer, request, out, length in
    guard let request = request?.pointee, peer == 7 else { return MH_E_DENIED }
    guard let key = hostState(context)?.secrets[text(request.key)] else { return MH_E_NOT_FOUND }
    guard request.algorithm == UInt16(MH_CIPHER_AES_CCM) else { return MH_E_UNSUPPORTED }
    let encrypts = request.direction == UInt16(MH_CIPHER_ENCRYPT)
    let result = TestCrypto.ccm(
      encrypts: encrypts, key: key, nonce: bytes(request.nonce), associated: bytes(request.associated),
      tagLength: Int(request.tag_length), bytes(request.input))
    return result.map { put($0, out, length) } ?? MH_E_CRYPTO
  }
  crypto.mac = { context, peer, algorithm, key, input, out, length in
    guard peer == 7 else { return MH_E_DENIED }
    guard let state = hostState(context), let key = state.secrets[text(key)] else { return MH_E_NOT_FOUND }
    guard state.macStatus == MH_OK else { return state.macStatus }
    switch algorithm {
    case MH_MAC_AES_CMAC: return put(TestCrypto.cmac(key: key, bytes(input)), out, length)
    case MH_MAC_HMAC_SHA256: return put(TestCrypto.hmac(key: key, bytes(input)), out, length)
    default: return MH_E_ARG
    }
  }
  crypto.sha256 = { _, input, out in
    var room: UInt64 = 32
    return put(TestCrypto.sha256(bytes(input)), out, &room)
  }
  crypto.derive = { _, _, _ in MH_E_UNSUPPORTED }
  crypto.make_key_pair = { _, _, _, _ in MH_E_UNSUPPORTED }
  crypto.agree = { _, _, _, _, _ in MH_E_UNSUPPORTED }
  return crypto
}

/// What both a host and a simulated meter compute.
enum TestCrypto {
  /// AES-CCM with the tag behind the text; nil when a tag is wrong.
  static func ccm(
    encrypts: Bool, key: [UInt8], nonce: [UInt8], associated: [UInt8], tagLength: Int, _ input: [UInt8]
  ) -> [UInt8]? {
    let length = encrypts ? input.count + tagLength : input.count - tagLength
    guard length >= 0 else { return nil }
    var out = [UInt8](repeating: 0, count: length)
    let status = lend(key) { key in
      lend(nonce) { nonce in
        lend(associated) { associated in
          lend(input) { ccrypto_aes(CCRYPTO_CCM, encrypts ? 1 : 0, key, nonce, associated, tagLength, $0, &out) }
        }
      }
    }
    return status == CCRYPTO_OK ? out : nil
  }

  static func cmac(key: [UInt8], _ input: [UInt8]) -> [UInt8] {
    var out = [UInt8](repeating: 0, count: 16)
    _ = lend(key) { key in lend(input) { ccrypto_cmac(key, $0, &out) } }
    return out
  }

  static func hmac(key: [UInt8], _ input: [UInt8]) -> [UInt8] {
    var out = [UInt8](repeating: 0, count: 32)
    _ = lend(key) { key in lend(input) { ccrypto_hmac_sha256(key, $0, &out) } }
    return out
  }

  static func sha256(_ input: [UInt8]) -> [UInt8] {
    var out = [UInt8](repeating: 0, count: 32)
    _ = lend(input) { ccrypto_sha256($0, &out) }
    return out
  }

  private static func lend<Result>(_ bytes: [UInt8], _ body: (ccrypto_bytes) -> Result) -> Result {
    bytes.withUnsafeBufferPointer { body(ccrypto_bytes(p: $0.baseAddress, n: $0.count)) }
  }
}
