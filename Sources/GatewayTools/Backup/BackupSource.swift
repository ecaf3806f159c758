import Crypto
import Foundation
import GatewayAPI
import HostPrimitives

/// The content of a backup, decrypted as it is read. Nothing is handed out that was not found to be what was written there.
///
/// One task works with it.
final class BackupSource {
  private let path: String
  private let descriptor: Int32
  private let cipher: BackupCipher
  /// Bytes of the file.
  let size: Int64
  private var ahead: [UInt8] = []
  private var plain: [UInt8] = []
  private var offset = 0
  private var number: UInt32 = 0
  private var isOver = false

  /// - Throws: ``GatewayError`` with code `backup_io`, `backup_file`, `backup_version` or `backup_key`.
  convenience init(_ path: String, _ passphrase: BackupPassphrase) throws(GatewayError) {
    try self.init(path) { header throws(GatewayError) in try passphrase.key(header) }
  }

  /// A source whose key comes from elsewhere.
  init(
    _ path: String, key: (BackupHeader) throws(GatewayError) -> SymmetricKey
  ) throws(GatewayError) {
    self.path = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw .backupIO("read", path) }
    do throws(GatewayError) {
      guard let status = FileStatus(of: descriptor), status.isPlainFile else { throw GatewayError.noBackup(path) }
      size = status.size
      let header = try Self.header(path, try Self.read(descriptor, BackupHeader.length, path))
      cipher = BackupCipher(header, try key(header))
    } catch {
      close(descriptor)
      throw error
    }
  }

  deinit { close(descriptor) }

  private static func header(_ path: String, _ bytes: [UInt8]) throws(GatewayError) -> BackupHeader {
    do throws(BackupHeader.Refusal) {
      return try BackupHeader(bytes)
    } catch {
      switch error {
      case .noBackup: throw .noBackup(path)
      case .version(let version): throw .backupVersion(path, Int(version))
      case .outOfBounds: throw .backupDamaged(path, "a number at its front is out of bounds")
      }
    }
  }

  /// Bytes of the file that were read.
  var position: Int64 { Int64(number) * Int64(cipher.pieceLength + BackupCipher.tagLength) }

  /// The next bytes, all of them.
  ///
  /// - Throws: ``GatewayError`` with code `backup_damaged` or `backup_passphrase`.
  func take(_ count: Int) throws(GatewayError) -> [UInt8] {
    var taken: [UInt8] = []
    while taken.count < count { taken += try some(count - taken.count) }
    return taken
  }

  /// The next bytes: at least one, at most so many.
  func some(_ most: Int) throws(GatewayError) -> ArraySlice<UInt8> {
    while offset == plain.count {
      guard try nextPiece() else { throw .backupDamaged(path, "it ends too early") }
    }
    let end = min(offset + most, plain.count)
    defer { offset = end }
    return plain[offset..<end]
  }

  /// Whether everything was taken.
  func isAtEnd() throws(GatewayError) -> Bool {
    while offset == plain.count {
      guard try nextPiece() else { return true }
    }
    return false
  }

  private func nextPiece() throws(GatewayError) -> Bool {
    guard !isOver else { return false }
    let length = cipher.pieceLength + BackupCipher.tagLength
    var sealed = ahead
    // One byte more tells whether it is the last.
    sealed += try Self.read(descriptor, length + 1 - sealed.count, path)
    isOver = sealed.count <= length
    ahead = isOver ? [] : [sealed.removeLast()]
    do {
      plain = try cipher.open(sealed, number: number, isLast: isOver)
    } catch {
      guard number > 0 else { throw .wrongPassphrase(path) }
      throw .backupDamaged(path, "piece \(number) was changed or moved, or the file was cut behind it")
    }
    offset = 0
    guard number < .max else { throw .backupDamaged(path, "it is too large") }
    number += 1
    return true
  }

  /// As many bytes as there are, at most `count`.
  private static func read(_ descriptor: Int32, _ count: Int, _ path: String) throws(GatewayError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let got = bytes.withUnsafeMutableBytes { buffer in
        Foundation.read(descriptor, buffer.baseAddress?.advanced(by: filled), count - filled)
      }
      if got < 0 && errno == EINTR { continue }
      guard got >= 0 else { throw .backupIO("read", path) }
      guard got > 0 else { break }
      filled += got
    }
    bytes.removeLast(count - filled)
    return bytes
  }
}
