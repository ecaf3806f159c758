import CMeterDriver
import DriverContract
import DriverRuntime
package import HostPrimitives
import Synchronization

/// The keys of one session, in the host: a driver names them and gets what is computed with them (rule R5).
///
/// `credential/NAME` and the secrets of storage come from the store when the session opens, `session/...` keys are made
/// here and go with the session. Nothing leaves but results; a readable key goes to the driver that asks for it by kv_get.
package final class KeyService: SessionServices {
  private let keys: Mutex<[ExactText: SessionKey]>

  /// Most keys that a session may make, and the longest of a name.
  static let mostSessionKeys = Int(MH_SESSION_KEYS_MAX)
  static let longestName = Int(MH_KEY_NAME_MAX)

  /// The services of a session.
  ///
  /// - Parameter keys: What is stored, by its whole name: `credential/NAME`, `user/secret/...`, `meter/secret/...`.
  package convenience init(keys: [String: SessionKey] = [:]) {
    self.init(exactly: Dictionary(keys.map { (ExactText($0.key), $0.value) }) { first, _ in first })
  }

  /// - Parameter keys: As above, told apart by the bytes of their names.
  package init(exactly keys: [ExactText: SessionKey]) { self.keys = Mutex(keys) }

  /// Adds a key that was stored while the session runs: an answer of the person that the host keeps.
  package func keep(_ key: SessionKey, as name: String) { keys.withLock { $0[ExactText(name)] = key } }

  /// Answers one request of the driver.
  package func answer(_ request: ServiceRequest) -> ServiceAnswer {
    do throws(KeyRefusal) {
      return ServiceAnswer(status: MH_OK, output: try result(of: request))
    } catch {
      return ServiceAnswer(status: error.status)
    }
  }

  private func result(of request: ServiceRequest) throws(KeyRefusal) -> [UInt8] {
    switch request {
    case .value(let name):
      let key = try stored(name)
      guard key.isReadable else { throw .denied }
      return key.bytes
    case .put(let name, let value):
      guard StorageName.isSecret(name) else { throw .argument }
      // What the driver wrote itself it may read again.
      keys.withLock { $0[ExactText(name)] = value.isEmpty ? nil : SessionKey(value, isReadable: true) }
      return []
    case .cipher(let algorithm, let direction, let tagLength, let name, let nonce, let associated, let input):
      let use = try CipherUse(
        algorithm: algorithm, direction: direction, tagLength: tagLength, nonce: nonce, associated: associated,
        input: input)
      return try use.run(key: try stored(name).bytes)
    case .mac(let algorithm, let name, let input):
      return try KeyMath.mac(algorithm, key: try stored(name).bytes, input)
    case .sha256(let input): return try KeyMath.sha256(input)
    case .derive(let length, let name, let salt, let info, let into):
      let key = try stored(name).bytes
      try keep(into) { () throws(KeyRefusal) in try KeyMath.derive(Int(length), key: key, salt: salt, info: info) }
      return []
    case .makeKeyPair(let into):
      var publicKey: [UInt8] = []
      try keep(into) { () throws(KeyRefusal) in
        let pair = try KeyMath.makeKeyPair()
        publicKey = pair.publicKey
        return pair.privateKey
      }
      return publicKey
    case .agree(let name, let publicKey, let into):
      let key = try stored(name).bytes
      try keep(into) { () throws(KeyRefusal) in try KeyMath.agree(privateKey: key, publicKey: publicKey) }
      return []
    case .random(let count):
      guard count <= MH_RANDOM_MAX else { throw .argument }
      guard let bytes = systemRandom(Int(count)) else { throw .denied }
      return bytes
    }
  }

  private func stored(_ name: String) throws(KeyRefusal) -> SessionKey {
    guard let key = keys.withLock({ $0[ExactText(name)] }) else { throw .notFound }
    return key
  }

  /// Makes a key of the session; such a key is never handed out.
  private func keep(_ name: String, _ make: () throws(KeyRefusal) -> [UInt8]) throws(KeyRefusal) {
    let prefix = "session/"
    guard name.beginsExactly(with: prefix), name.utf8.count > prefix.utf8.count, name.utf8.count <= Self.longestName
    else {
      throw .argument
    }
    let isFull = keys.withLock { keys in
      keys[ExactText(name)] == nil && keys.keys.count { $0.text.beginsExactly(with: prefix) } >= Self.mostSessionKeys
    }
    guard !isFull else { throw .denied }
    let key = SessionKey(try make(), isReadable: false)
    keys.withLock { $0[ExactText(name)] = key }
  }
}

/// Why a request is not carried out, as the driver hears it.
enum KeyRefusal: Error {
  case argument
  case unsupported
  case notFound
  case denied
  case crypto

  var status: Int32 {
    switch self {
    case .argument: MH_E_ARG
    case .unsupported: MH_E_UNSUPPORTED
    case .notFound: MH_E_NOT_FOUND
    case .denied: MH_E_DENIED
    case .crypto: MH_E_CRYPTO
    }
  }
}
