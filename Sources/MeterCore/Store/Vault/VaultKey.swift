internal import Crypto
internal import Glibc

/// The key that encrypts secrets in the state database.
///
/// systemd hands it over as the credential `meterhost.key` (sealed to the machine's TPM, if so set up); else it lies
/// beside the database in a file of mode 0600, which protects a copied database and not a copied state folder.
struct VaultKey: Sendable {
  let key: SymmetricKey
  /// Four bytes that name the key in every sealed value, so that a wrong key is told from a damaged value.
  let fingerprint: [UInt8]

  static let length = 32
  static let fingerprintLength = 4
  /// Its place in the state folder.
  static let (folder, file) = ("vault", "key")
  /// Its name among systemd's credentials.
  static let systemdName = "meterhost.key"

  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.length else { return nil }
    key = SymmetricKey(data: bytes)
    var frames = ByteFrames()
    frames.append("meterhost vault key")
    frames.append(bytes)
    fingerprint = Array(SHA256.hash(data: frames.bytes).prefix(Self.fingerprintLength))
  }

  /// The key that is there, nil when there is none yet.
  ///
  /// - Throws: ``StoreError/Code/vaultKey`` when it has the wrong length or mode, or cannot be read.
  static func load(state: String, credentials: String?) throws(StoreError) -> VaultKey? {
    if let credentials, let key = try handedOver(in: credentials) { return key }
    return try load("\(state)/\(folder)/\(file)", isPrivate: true)
  }

  /// The key that systemd hands over; nil: it hands over none.
  ///
  /// - Throws: ``StoreError/Code/vaultKey`` when it has the wrong length, or cannot be read.
  static func handedOver(in credentials: String) throws(StoreError) -> VaultKey? {
    try load("\(credentials)/\(systemdName)", isPrivate: false)
  }

  /// A new key, on disk when this returns.
  static func make(in state: StateFolder) throws(StoreError) -> VaultKey {
    let bytes = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
    do {
      _ = try state.writeDurably(bytes, folder: folder, name: file)
    } catch {
      throw StoreError(
        .vaultKey, "the key for secrets cannot be written to \(state.path)/\(folder)/\(file): \(error.message)",
        cause: error.cause)
    }
    guard let key = VaultKey(bytes) else { throw StoreError(.vaultKey, "a new key has the wrong length.") }
    return key
  }

  /// - Parameter isPrivate: Whether the file must be closed to everybody but its owner; systemd guards its own folder.
  private static func load(_ path: String, isPrivate: Bool) throws(StoreError) -> VaultKey? {
    let descriptor: Int32
    do throws(StoreError) {
      guard let opened = try PlainFile.openIfThere(path, O_RDONLY) else { return nil }
      descriptor = opened
    } catch {
      throw StoreError(
        .vaultKey, "the key for secrets \(path) cannot be opened; it must be a file of this user: \(error.message)",
        cause: error.cause)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure("the key for secrets \(path) cannot be read.", errno) }
    guard !isPrivate || status.st_mode & 0o177 == 0 else {
      throw StoreError(
        .vaultKey,
        "the key for secrets \(path) is open to other users; run `chmod 600 \(path)`, and enter keys anew if somebody "
          + "may have read it.")
    }
    var bytes = [UInt8](repeating: 0, count: length + 1)
    let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    guard count >= 0 else { throw failure("the key for secrets \(path) cannot be read.", errno) }
    guard let key = VaultKey(Array(bytes.prefix(count))) else {
      throw StoreError(
        .vaultKey, "the key for secrets \(path) must have exactly \(length) bytes; put the right file back.")
    }
    return key
  }

  private static func failure(_ message: String, _ number: Int32) -> StoreError {
    StoreError(.vaultKey, message, cause: String(cString: strerror(number)))
  }
}
