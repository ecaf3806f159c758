/// What stands unencrypted at the front of a backup: how the key comes out of the passphrase. 64 bytes:
///
/// | bytes | what |
/// |---|---|
/// | 0-7 | `MHBACKUP` |
/// | 8 | version of the format: 1 |
/// | 9 | how the key is derived: 1 is scrypt (RFC 7914) |
/// | 10 | how the content is encrypted: 1 is AES-256-GCM in pieces (``BackupCipher``) |
/// | 11-13 | scrypt's cost as a power of two, block size, parallelism |
/// | 14 | bytes of a piece as a power of two |
/// | 15 | 0 |
/// | 16-47 | salt |
/// | 48-54 | the first seven bytes of every nonce |
/// | 55-63 | 0 |
///
/// All of it is authenticated with every piece. Whoever reads one believes nothing of it before, so each number has a bound.
struct BackupHeader: Sendable, Hashable {
  var log2Cost: UInt8 = 17
  var blockSize: UInt8 = 8
  var parallelism: UInt8 = 1
  var log2Piece: UInt8 = 16
  var salt: [UInt8]
  var noncePrefix: [UInt8]

  /// Why bytes are no header.
  enum Refusal: Error, Hashable {
    case noBackup
    /// Another version of the format, or an algorithm that only another version knows.
    case version(UInt8)
    case outOfBounds
  }

  static let length = 64
  static let magic = Array("MHBACKUP".utf8)
  static let version: UInt8 = 1
  static let (saltLength, prefixLength) = (32, 7)
  /// 16 to 256 MiB of memory, and never less work than a person's passphrase needs.
  static let costs: ClosedRange<UInt8> = 14...18
  static let pieces: ClosedRange<UInt8> = 12...20

  /// A header for a new backup.
  init<Random: RandomNumberGenerator>(using random: inout Random) {
    salt = (0..<Self.saltLength).map { _ in UInt8.random(in: 0...255, using: &random) }
    noncePrefix = (0..<Self.prefixLength).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  var bytes: [UInt8] {
    let numbers = [Self.version, 1, 1, log2Cost, blockSize, parallelism, log2Piece, 0]
    return Self.magic + numbers + salt + noncePrefix + [UInt8](repeating: 0, count: 9)
  }

  init(_ bytes: [UInt8]) throws(Refusal) {
    guard bytes.count >= Self.magic.count + 1, bytes.starts(with: Self.magic) else { throw .noBackup }
    guard bytes[8] == Self.version else { throw .version(bytes[8]) }
    guard bytes.count == Self.length else { throw .noBackup }
    guard bytes[9] == 1, bytes[10] == 1 else { throw .version(bytes[8]) }
    (log2Cost, blockSize, parallelism, log2Piece) = (bytes[11], bytes[12], bytes[13], bytes[14])
    guard Self.costs.contains(log2Cost), blockSize == 8, (1...4).contains(parallelism), Self.pieces.contains(log2Piece),
      bytes[15] == 0, bytes[55...].allSatisfy({ $0 == 0 })
    else { throw .outOfBounds }
    salt = Array(bytes[16..<48])
    noncePrefix = Array(bytes[48..<55])
  }
}
