import CMeterDriver

/// Cryptography with keys that stay in the host: a driver names a key and never sees it (`meterhost.crypto/1`).
///
/// Key names: `credential/NAME`, `user/secret/...`, `meter/secret/...`, and `session/...` for keys that ``derive``,
/// ``agree`` and ``makeKeyPair`` make and the session's end removes.
public struct Crypto {
  let table: UnsafePointer<mh_crypto>
  let peer: UInt64

  /// A cipher (`MH_CIPHER_*`). Keys have 16, 24 or 32 bytes.
  public enum Cipher {
    /// AES in ECB mode: whole blocks, no padding, no nonce.
    case aesECB
    /// AES in CBC mode: whole blocks, no padding, 16-byte nonce.
    case aesCBC
    /// AES in CTR mode: any length; the 16-byte nonce is the first counter block.
    case aesCTR
    /// AES-CCM: nonce of 7 to 13 bytes; a tag of 4 to 16 bytes, even, lies behind the ciphertext.
    case aesCCM(tagLength: UInt32)
    /// AES-GCM: 12-byte nonce; a 16-byte tag lies behind the ciphertext.
    case aesGCM

    var algorithm: UInt32 {
      switch self {
      case .aesECB: MH_CIPHER_AES_ECB
      case .aesCBC: MH_CIPHER_AES_CBC
      case .aesCTR: MH_CIPHER_AES_CTR
      case .aesCCM: MH_CIPHER_AES_CCM
      case .aesGCM: MH_CIPHER_AES_GCM
      }
    }

    var tagLength: UInt32 {
      switch self {
      case .aesCCM(let length): length
      case .aesGCM: 16
      default: 0
      }
    }
  }

  /// A message authentication code (`MH_MAC_*`).
  public enum MAC: UInt32 {
    /// AES-CMAC: 16 bytes.
    case aesCMAC = 1
    /// HMAC-SHA-256: 32 bytes.
    case hmacSHA256 = 2
  }

  /// Encrypts; the tag of CCM and GCM lies behind the ciphertext.
  public func encrypt(
    _ input: [UInt8], _ cipher: Cipher, key: StaticString, nonce: [UInt8] = [], associated: [UInt8] = []
  ) throws(CryptoError) -> [UInt8] {
    try run(MH_CIPHER_ENCRYPT, input, cipher, key, nonce, associated)
  }

  /// Decrypts what ``encrypt`` makes.
  ///
  /// - Throws: ``CryptoError/checkFailed`` when the tag is wrong.
  public func decrypt(
    _ input: [UInt8], _ cipher: Cipher, key: StaticString, nonce: [UInt8] = [], associated: [UInt8] = []
  ) throws(CryptoError) -> [UInt8] {
    try run(MH_CIPHER_DECRYPT, input, cipher, key, nonce, associated)
  }

  /// Authenticates a message.
  public func mac(_ algorithm: MAC, _ input: [UInt8], key: StaticString) throws(CryptoError) -> [UInt8] {
    guard let service = table.pointee.mac else { throw .denied }
    return try collect(32) { out, length in
      input.withUnsafeBufferPointer {
        service(table.pointee.ctx, peer, algorithm.rawValue, key.contractText, Crypto.lend($0), out, length)
      }
    }
  }

  /// SHA-256: 32 bytes.
  public func sha256(_ input: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard let service = table.pointee.sha256 else { throw .denied }
    return try collect(32) { out, _ in
      input.withUnsafeBufferPointer { service(table.pointee.ctx, Crypto.lend($0), out) }
    }
  }

  /// Makes the key `name` ("session/...") from a key by HKDF-SHA-256.
  public func derive(
    _ name: StaticString, length: UInt32, from key: StaticString, salt: [UInt8] = [], info: [UInt8] = []
  ) throws(CryptoError) {
    guard let service = table.pointee.derive else { throw .denied }
    var request = mh_derivation()
    request.struct_size = UInt32(MemoryLayout<mh_derivation>.size)
    request.length = length
    request.key = key.contractText
    request.into = name.contractText
    let status = salt.withUnsafeBufferPointer { salt in
      info.withUnsafeBufferPointer { info in
        request.salt = Crypto.lend(salt)
        request.info = Crypto.lend(info)
        return service(table.pointee.ctx, peer, &request)
      }
    }
    if let error = CryptoError(status) { throw error }
  }

  /// Makes a P-256 key pair and keeps its private key as `name` ("session/...").
  ///
  /// - Returns: The public key: X then Y, 32 bytes each, most significant first.
  public func makeKeyPair(_ name: StaticString) throws(CryptoError) -> [UInt8] {
    guard let service = table.pointee.make_key_pair else { throw .denied }
    return try collect(64) { out, _ in service(table.pointee.ctx, peer, name.contractText, out) }
  }

  /// ECDH on P-256: the X coordinate, 32 bytes, becomes the key `name` ("session/...").
  ///
  /// - Throws: ``CryptoError/checkFailed`` when `publicKey` is not on the curve.
  public func agree(
    _ name: StaticString, privateKey: StaticString, publicKey: [UInt8]
  ) throws(CryptoError) {
    guard let service = table.pointee.agree else { throw .denied }
    guard publicKey.count == 64 else { throw .wrongLength }
    let status = publicKey.withUnsafeBufferPointer {
      service(table.pointee.ctx, peer, privateKey.contractText, $0.baseAddress, name.contractText)
    }
    if let error = CryptoError(status) { throw error }
  }

  private func run(
    _ direction: UInt32, _ input: [UInt8], _ cipher: Cipher, _ key: StaticString, _ nonce: [UInt8],
    _ associated: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    guard let service = table.pointee.cipher else { throw .denied }
    var request = mh_cipher()
    request.struct_size = UInt32(MemoryLayout<mh_cipher>.size)
    request.algorithm = UInt16(truncatingIfNeeded: cipher.algorithm)
    request.direction = UInt16(truncatingIfNeeded: direction)
    request.tag_length = cipher.tagLength
    request.key = key.contractText
    return try collect(input.count + 16) { out, length in
      input.withUnsafeBufferPointer { input in
        nonce.withUnsafeBufferPointer { nonce in
          associated.withUnsafeBufferPointer { associated in
            request.input = Crypto.lend(input)
            request.nonce = Crypto.lend(nonce)
            request.associated = Crypto.lend(associated)
            return service(table.pointee.ctx, peer, &request, out, length)
          }
        }
      }
    }
  }

  /// Runs a service that writes at most `room` bytes.
  private func collect(
    _ room: Int, _ body: (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt64>) -> Int32
  ) throws(CryptoError) -> [UInt8] {
    var status = MH_OK
    let bytes = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
      buffer.initialize(repeating: 0)
      var length = UInt64(room)
      status = body(buffer.baseAddress, &length)
      count = status == MH_OK ? min(Int(clamping: length), room) : 0
    }
    if let error = CryptoError(status) { throw error }
    return bytes
  }

  private static func lend(_ buffer: UnsafeBufferPointer<UInt8>) -> mh_bytes {
    mh_bytes(p: buffer.baseAddress, n: UInt64(buffer.count))
  }
}

/// Why a cryptographic service gave nothing.
public enum CryptoError: Error {
  /// There is no key of this name.
  case noKey
  /// The algorithm has no such length of key, nonce, tag, input or output.
  case wrongLength
  /// A tag is wrong, or a point is not on the curve.
  case checkFailed
  /// This host does not know the algorithm.
  case unknownAlgorithm
  /// The host refuses.
  case denied

  init?(_ status: Int32) {
    switch status {
    case MH_OK: return nil
    case MH_E_NOT_FOUND: self = .noKey
    case MH_E_ARG, MH_E_FULL: self = .wrongLength
    case MH_E_CRYPTO: self = .checkFailed
    case MH_E_UNSUPPORTED: self = .unknownAlgorithm
    default: self = .denied
    }
  }
}

extension Output {
  /// The host's cryptography.
  ///
  /// - Throws: ``DriverError/denied`` when this host has none.
  public func crypto() throws(DriverError) -> Crypto {
    guard let service = host.table.pointee.extension,
      let found = service(host.table.pointee.ctx, MH_EXT_CRYPTO)
    else { throw .denied }
    let table = found.assumingMemoryBound(to: mh_crypto.self)
    guard Int(table.pointee.struct_size) >= MemoryLayout<mh_crypto>.size else { throw .denied }
    return Crypto(table: table, peer: host.peer)
  }
}
