import Foundation
import GatewayAPI
import HostPrimitives

/// A file that a command writes line by line: a new one, which its user alone may read.
///
/// It is whole or not there: it is written under its name with `.part` behind it, and gets its name when it is on disk. What cannot be
/// written to its end is removed; what a killed command has left is replaced by the next one.
final class ExportFile {
  private let path: String
  private let part: String
  private let handle: FileHandle
  private var isWhole = false

  private static let isThere = "it is there already"

  /// - Throws: ``GatewayError`` with code `output_file`: also where there is a file already, which is never replaced.
  init(_ path: String) throws(GatewayError) {
    guard FileStatus(at: path) == nil else { throw Self.refusal(path, Self.isThere) }
    self.path = path
    part = path + ".part"
    handle = FileHandle(fileDescriptor: try Self.descriptor(of: part, for: path), closeOnDealloc: true)
  }

  deinit { if !isWhole { unlink(part) } }

  /// Adds a line.
  func append(_ line: String) throws(GatewayError) {
    try write { handle in try handle.write(contentsOf: Data((line + "\n").utf8)) }
  }

  /// Puts it on disk and gives it its name: it stays.
  func finish() throws(GatewayError) {
    try write { handle in try handle.synchronize() }
    try name()
    isWhole = true
    let folder = open(URL(filePath: path).deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }

  private func write(_ body: (FileHandle) throws -> Void) throws(GatewayError) {
    do { try body(handle) } catch {
      throw GatewayError(
        .failed, code: "output_file", "\(path) cannot be written to its end, and is removed",
        hint: "make room on the disk")
    }
  }

  /// A file that has come meanwhile is not replaced.
  private func name() throws(GatewayError) {
    if link(part, path) == 0 {
      unlink(part)
      return
    }
    guard errno != EEXIST else { throw Self.refusal(path, Self.isThere) }
    // File systems without links, as those of memory cards: what is replaced is this command's own.
    let place = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard place >= 0 else { throw Self.refusal(path, errno == EEXIST ? Self.isThere : Self.reason) }
    close(place)
    guard rename(part, path) == 0 else {
      let error = Self.refusal(path, Self.reason)
      unlink(path)
      throw error
    }
  }

  // MARK: The part

  /// The part, open and locked, and empty. A lock says that a command is at work; without one a part is left over.
  private static func descriptor(of part: String, for path: String) throws(GatewayError) -> Int32 {
    var descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    let isLeft = descriptor < 0 && errno == EEXIST
    if isLeft { descriptor = open(part, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) }
    guard descriptor >= 0 else { throw refusal(path, isLeft ? strange(part) : reason) }
    let isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
    let isTaken = !isLocked && (isLeft || errno == EWOULDBLOCK)
    guard !isTaken, isAt(part, descriptor), !isLeft || isOwn(descriptor) && ftruncate(descriptor, 0) == 0 else {
      close(descriptor)
      throw refusal(path, isTaken ? "another command is writing \(part)" : strange(part))
    }
    return descriptor
  }

  /// Whether a file is still what has this name: not, when another command has given it its own meanwhile.
  private static func isAt(_ name: String, _ descriptor: Int32) -> Bool {
    guard let named = FileStatus(at: name), let opened = FileStatus(of: descriptor) else { return false }
    return named.identity == opened.identity
  }

  /// Whether a file is one that only this user can read, under one name.
  private static func isOwn(_ descriptor: Int32) -> Bool {
    guard let status = FileStatus(of: descriptor) else { return false }
    return status.isPlainFile && status.owner == geteuid() && status.permissions & 0o077 == 0 && status.names == 1
  }

  private static func strange(_ part: String) -> String { "\(part) is there, and is not what such a command leaves" }

  private static var reason: String { String(cString: strerror(errno)) }

  private static func refusal(_ path: String, _ reason: String) -> GatewayError {
    GatewayError(.usage, code: "output_file", "\(path) cannot be written: \(reason)")
  }
}
