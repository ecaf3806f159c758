/// What a driver asks of its session's services in the middle of an event: keys by name, what is computed with them, and
/// random bytes (rules R5, R8, R23). Arguments are as the driver gave them; whoever answers checks them.
public enum ServiceRequest: Sendable, Hashable {
  /// A credential or secret that the driver wants to read.
  case value(name: String)
  /// The driver wrote a secret, empty to remove it: later requests of this session see it at once.
  case put(name: String, value: [UInt8])
  /// One use of a cipher (`mh_cipher`).
  case cipher(
    algorithm: UInt16, direction: UInt16, tagLength: UInt32, key: String, nonce: [UInt8], associated: [UInt8],
    input: [UInt8])
  /// A message authentication code.
  case mac(algorithm: UInt32, key: String, input: [UInt8])
  /// SHA-256 (FIPS 180-4).
  case sha256([UInt8])
  /// HKDF-SHA-256 (RFC 5869) into a key of the session.
  case derive(length: UInt32, key: String, salt: [UInt8], info: [UInt8], into: String)
  /// A P-256 key pair: the private key stays under the name, the public one comes back.
  case makeKeyPair(into: String)
  /// ECDH on P-256 into a key of the session.
  case agree(privateKey: String, publicKey: [UInt8], into: String)
  /// Random bytes, at most `MH_RANDOM_MAX`: the host makes them, so that a recording has them (rule R8).
  case random(count: UInt32)

  /// Bytes that the driver hands over: what the budget of an event counts.
  public var size: Int {
    switch self {
    case .value(let name), .makeKeyPair(let name): name.utf8.count
    case .put(let name, let value): name.utf8.count + value.count
    case .cipher(_, _, _, let key, let nonce, let associated, let input):
      key.utf8.count + nonce.count + associated.count + input.count
    case .mac(_, let key, let input): key.utf8.count + input.count
    case .sha256(let input): input.count
    case .derive(_, let key, let salt, let info, let into): key.utf8.count + salt.count + info.count + into.utf8.count
    case .agree(let key, let point, let into): key.utf8.count + point.count + into.utf8.count
    case .random(let count): Int(count)
    }
  }
}

/// What a session's services say: an `MH_E_*` status, and bytes when it is `MH_OK`.
public struct ServiceAnswer: Sendable, Hashable {
  /// `MH_OK`, or why not.
  public var status: Int32
  /// The result.
  public var output: [UInt8]

  /// An answer.
  public init(status: Int32, output: [UInt8] = []) {
    self.status = status
    self.output = output
  }
}

/// Answers a driver's requests. Called on the thread of the driver call, one request at a time.
public protocol SessionServices: AnyObject, Sendable {
  /// Answers one request without waiting for anything but a computation.
  func answer(_ request: ServiceRequest) -> ServiceAnswer
}
