internal import Crypto
internal import Foundation
internal import Synchronization

/// Seals secrets for the database: AES-256-GCM, each bound to the row that it stands in.
///
/// The layout of a sealed value: version (1), mark, fingerprint of the key (4), nonce (12), ciphertext, tag (16). The
/// associated data hold version, mark and every part of the row's name, so that a value moved to another row, user or
/// meter does not open.
final class Vault: Sendable {
  /// What the host knows of a value besides its bytes.
  enum Mark: UInt8 {
    /// The driver wrote it and may read it again.
    case driver = 1
    /// A person entered it: drivers use it by name only, unless the registry says otherwise.
    case host = 2
  }

  private let folder: StateFolder
  private let credentials: String?
  private let key = Mutex<VaultKey?>(nil)

  static let version: UInt8 = 1
  private static let headLength = 2 + VaultKey.fingerprintLength

  /// - Parameter credentials: systemd's credentials folder, nil when there is none.
  init(folder: StateFolder, credentials: String?) {
    self.folder = folder
    self.credentials = credentials
  }

  /// Encrypts a value for one row.
  ///
  /// - Parameters:
  ///   - row: The parts of the row's name, its table first.
  ///   - mayMakeKey: False when the database holds sealed values already: a new key could not open them.
  func seal(
    _ plain: [UInt8], _ mark: Mark, for row: [String], mayMakeKey: Bool
  ) throws(StoreError) -> Data {
    let key = try currentKey(mayMake: mayMakeKey)
    do {
      let box = try AES.GCM.seal(plain, using: key.key, authenticating: Self.associated(mark.rawValue, row))
      guard let combined = box.combined else { throw StoreError(.vault, "a secret cannot be encrypted.") }
      return Data([Self.version, mark.rawValue] + key.fingerprint) + combined
    } catch {
      throw StoreError(.vault, "a secret cannot be encrypted.", cause: "\(type(of: error))")
    }
  }

  /// Decrypts the value of a row.
  ///
  /// - Throws: ``StoreError/Code/vaultKey`` when the key is missing or another one, ``StoreError/Code/vault`` when the value
  ///   is damaged or was moved from another row.
  func open(_ sealed: Data, for row: [String]) throws(StoreError) -> (bytes: [UInt8], mark: Mark) {
    guard Self.mark(of: Array(sealed)) != nil else { throw Self.damaged }
    return try Self.open(Array(sealed), for: row, with: try currentKey(mayMake: false), place: folder.path)
  }

  /// As `open`, with a key that was found before; `place` is for people.
  static func open(
    _ bytes: [UInt8], for row: [String], with key: VaultKey, place: String
  ) throws(StoreError) -> (bytes: [UInt8], mark: Mark) {
    guard let mark = mark(of: bytes) else { throw damaged }
    guard Array(bytes[2..<headLength]) == key.fingerprint else {
      throw StoreError(
        .vaultKey,
        "the secrets in \(place) were encrypted with another key; put that key back, or enter the secrets anew "
          + "with `meterhost key set` after `meterhost key forget`.")
    }
    do {
      let box = try AES.GCM.SealedBox(combined: Data(bytes[headLength...]))
      return (Array(try AES.GCM.open(box, using: key.key, authenticating: associated(bytes[1], row))), mark)
    } catch {
      throw damaged
    }
  }

  /// The mark of a sealed value; nil for what is none.
  private static func mark(of bytes: [UInt8]) -> Mark? {
    bytes.count > headLength && bytes[0] == version ? Mark(rawValue: bytes[1]) : nil
  }

  /// A name for something that tells nothing of it to who has not the key.
  func tag(_ subject: [UInt8], mayMakeKey: Bool) throws(StoreError) -> [UInt8] {
    let key = try currentKey(mayMake: mayMakeKey)
    var frames = ByteFrames()
    frames.append("meterhost tag")
    frames.append(subject)
    return Array(HMAC<SHA256>.authenticationCode(for: frames.bytes, using: key.key))
  }

  private func currentKey(mayMake: Bool) throws(StoreError) -> VaultKey {
    let result = key.withLock { known -> Result<VaultKey, StoreError> in
      if let known { return .success(known) }
      do throws(StoreError) {
        if let found = try VaultKey.load(state: folder.path, credentials: credentials) {
          known = found
          return .success(found)
        }
        guard mayMake else { throw missing }
        let made = try VaultKey.make(in: folder)
        known = made
        return .success(made)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private var missing: StoreError {
    StoreError(
      .vaultKey,
      "the key for the secrets in \(folder.path) is missing; put \(VaultKey.folder)/\(VaultKey.file) back from the "
        + "backup, or give it as the systemd credential \(VaultKey.systemdName). Without it, forget the secrets with "
        + "`meterhost key forget` and enter them anew.")
  }

  private static var damaged: StoreError {
    StoreError(
      .vault,
      "a stored secret is damaged or was moved from another row; forget it with `meterhost key forget` and enter "
        + "it anew.")
  }

  private static func associated(_ mark: UInt8, _ row: [String]) -> [UInt8] {
    var frames = ByteFrames()
    frames.append([version, mark])
    for part in row { frames.append(part) }
    return frames.bytes
  }
}
