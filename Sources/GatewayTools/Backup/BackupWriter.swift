import Crypto
import Foundation
import GatewayAPI
import HostPrimitives
import MeterCore

/// Writes a backup beside the file that it replaces: the file has its name only when it is whole and on disk.
///
/// One task works with it.
final class BackupWriter {
  private let path: String
  private let descriptor: Int32
  private let cipher: BackupCipher
  private var buffer: [UInt8] = []
  private var number: UInt32 = 0
  private var parts: [BackupEnd.Part] = []
  private var isDone = false

  private var temporary: String { "\(path).part" }

  /// - Throws: ``GatewayError`` with code `backup_target` for a file that is there and is no backup, `backup_io`, `disk_full`.
  convenience init(_ path: String, _ passphrase: BackupPassphrase) throws(GatewayError) {
    // Before a person waits for the key.
    try Self.checkTarget(path)
    try Self.checkTarget("\(path).part")
    try Self.checkUnlocked(path)
    var random = SystemRandomNumberGenerator()
    let header = BackupHeader(using: &random)
    try self.init(path, header, try passphrase.key(header))
  }

  /// A writer with a key.
  init(_ path: String, _ header: BackupHeader, _ key: SymmetricKey) throws(GatewayError) {
    self.path = path
    cipher = BackupCipher(header, key)
    descriptor = open("\(path).part", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else {
      isDone = true
      throw .backupIO("make", "\(path).part", hint: "give a file in a folder that is there")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      isDone = true
      throw GatewayError(
        .temporary, code: "backup_running", "another process writes a backup to \(path)", hint: "wait until it is over")
    }
    // Between the two calls another process may have given this very file the name of a backup: that one is whole, and stays.
    let own = FileStatus(of: descriptor)
    guard let own, FileStatus(at: temporary)?.identity == own.identity else {
      isDone = true
      throw GatewayError(
        .temporary, code: "backup_running", "another process has just written a backup to \(path)", hint: "try again")
    }
    guard Self.isReplaceable(descriptor, own) else {
      isDone = true
      throw Self.foreignFile(temporary)
    }
    guard fchmod(descriptor, 0o600) == 0, ftruncate(descriptor, 0) == 0 else { throw .backupIO("write", temporary) }
    try put(header.bytes)
  }

  deinit {
    // What another process has put under this name is not this writer's to remove.
    if !isDone, hasItsName { unlink(temporary) }
    close(descriptor)
  }

  /// Whether the file that is written still has its unfinished name: a backup that another process makes of `FILE.part` takes it.
  private var hasItsName: Bool {
    guard let own = FileStatus(of: descriptor) else { return false }
    return FileStatus(at: temporary)?.identity == own.identity
  }

  private static func checkTarget(_ path: String) throws(GatewayError) {
    guard let status = FileStatus(at: path) else { return }
    let file = status.isPlainFile ? open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) : -1
    // A backup that is written beside this one may be whole by now, and have its name.
    if status.isPlainFile, file < 0, errno == ENOENT { return }
    defer { if file >= 0 { close(file) } }
    guard isReplaceable(file, status) else { throw foreignFile(path) }
  }

  /// The file may be the unfinished one of a backup of another name, which would be lost with it.
  private static func checkUnlocked(_ path: String) throws(GatewayError) {
    let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return }
    defer { close(file) }
    // Some file systems have no locks; there is nothing to hear of them then.
    guard flock(file, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return }
    throw GatewayError(
      .temporary, code: "backup_running", "another process writes \(path) as a part of its backup",
      hint: "wait until it is over, or name another file")
  }

  /// An earlier backup may be replaced, whole or not; a file that has the name by mistake may not.
  private static func isReplaceable(_ file: Int32, _ status: FileStatus) -> Bool {
    guard status.isPlainFile, status.size > 0 else { return status.isPlainFile }
    var front = [UInt8](repeating: 0, count: BackupHeader.magic.count)
    return pread(file, &front, front.count, 0) == front.count && front == BackupHeader.magic
  }

  private static func foreignFile(_ path: String) -> GatewayError {
    GatewayError(
      .usage, code: "backup_target", "\(path) is there and is no backup: it was left as it is",
      hint: "name a file that is not there yet, or an earlier backup, which is replaced when the new one is whole; "
        + "until then the new one is FILE.part")
  }

  // MARK: - Content

  /// Writes the first text.
  func begin(_ start: BackupStart) throws { try text(start) }

  /// Writes a part whose bytes are in memory.
  func add(_ part: BackupPart, _ bytes: [UInt8]) throws {
    try text(BackupPartHead(part: part.name, size: Int64(bytes.count)))
    try append(bytes)
    note(part, Int64(bytes.count), SHA256.hash(data: bytes))
  }

  /// Writes a part that is a file.
  ///
  /// - Parameter progress: Hears how many bytes were written, and may end the work.
  func add(_ part: BackupPart, file: String, _ progress: (Int64) throws -> Void) throws {
    let source = open(file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard source >= 0 else { throw GatewayError.backupIO("read", file) }
    defer { close(source) }
    guard let size = FileStatus(of: source)?.size else { throw GatewayError.backupIO("read", file) }
    var left = size
    try text(BackupPartHead(part: part.name, size: left))
    var hash = SHA256()
    var piece = [UInt8](repeating: 0, count: 256 << 10)
    while left > 0 {
      let count = read(source, &piece, min(piece.count, Int(left)))
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw GatewayError.backupIO("read", file) }
      guard count > 0 else {
        throw GatewayError(
          .temporary, code: "backup_changed", "\(file) became shorter while it was read", hint: "make the backup again")
      }
      hash.update(data: piece[..<count])
      try append(piece[..<count])
      left -= Int64(count)
      try progress(Int64(count))
    }
    note(part, size, hash.finalize())
  }

  private func note(_ part: BackupPart, _ size: Int64, _ digest: SHA256.Digest) {
    parts.append(BackupEnd.Part(part: part.name, size: size, sha256: Array(digest).hexadecimal))
  }

  /// Writes the end, and gives the file its name.
  ///
  /// - Returns: How many parts there are, and the file's bytes.
  func finish() throws -> (parts: Int, bytes: Int64) {
    try text(BackupPartHead(end: BackupEnd(parts: parts)))
    return try seal()
  }

  /// Seals the last piece, and gives the file its name.
  func seal() throws -> (parts: Int, bytes: Int64) {
    try put(try cipher.seal(buffer, number: number, isLast: true))
    guard fsync(descriptor) == 0, let size = FileStatus(of: descriptor)?.size else {
      throw GatewayError.backupIO("write", temporary)
    }
    // The work takes minutes, and the names belong to everybody who may write there.
    guard hasItsName else {
      throw GatewayError(
        .temporary, code: "backup_running", "another process has put a backup of its own where \(temporary) was",
        hint: "make the backup again under another name")
    }
    try Self.checkTarget(path)
    try Self.checkUnlocked(path)
    guard rename(temporary, path) == 0 else { throw GatewayError.backupIO("rename", temporary) }
    isDone = true
    try syncFolder()
    return (parts.count, size)
  }

  private func syncFolder() throws(GatewayError) {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { if opened >= 0 { close(opened) } }
    // File systems of memory cards sync no folders.
    guard opened >= 0, fsync(opened) == 0 || errno == EINVAL else { throw .backupIO("sync", folder) }
  }

  /// Writes a text with its length before it.
  func text(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let bytes = try encoder.encode(value)
    // What no reader would take is not written.
    guard bytes.count <= BackupLimits.text, parts.count <= BackupLimits.parts else {
      throw GatewayError(
        .failed, code: "backup_io", "the state folder has too many files for a backup",
        hint: "look what fills it; recovery files and recordings that nobody needs can be moved away")
    }
    try append([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: UInt32(bytes.count) >> $0) })
    try append(bytes)
  }

  /// What is written may be the last piece, which is sealed in another way: a whole piece stays until more comes.
  func append(_ bytes: some Collection<UInt8>) throws {
    buffer += bytes
    var offset = 0
    while buffer.count - offset > cipher.pieceLength {
      let end = offset + cipher.pieceLength
      try put(try cipher.seal(buffer[offset..<end], number: number, isLast: false))
      offset = end
      guard number < .max else { throw GatewayError(.failed, code: "backup_io", "\(path) would be too large") }
      number += 1
    }
    buffer.removeFirst(offset)
  }

  private func put(_ bytes: [UInt8]) throws(GatewayError) {
    var offset = 0
    while offset < bytes.count {
      let count = bytes[offset...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw .backupIO("write", temporary) }
      offset += count
    }
  }
}
