import Foundation
import GatewayAPI

/// A file that a command writes line by line: a new one, which its user alone may read.
///
/// It is whole or not there: what cannot be written to its end is removed.
final class ExportFile {
  private let path: String
  private let handle: FileHandle
  private var isWhole = false

  /// - Throws: ``GatewayError`` with code `output_file`: also where there is a file already, which is never replaced.
  init(_ path: String) throws(GatewayError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      let reason = errno == EEXIST ? "it is there already" : String(cString: strerror(errno))
      throw GatewayError(.usage, code: "output_file", "\(path) cannot be written: \(reason)")
    }
    self.path = path
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  deinit { if !isWhole { unlink(path) } }

  /// Adds a line.
  func append(_ line: String) throws(GatewayError) {
    try write { handle in try handle.write(contentsOf: Data((line + "\n").utf8)) }
  }

  /// Puts it on disk: it stays.
  func finish() throws(GatewayError) {
    try write { handle in try handle.synchronize() }
    isWhole = true
  }

  private func write(_ body: (FileHandle) throws -> Void) throws(GatewayError) {
    do { try body(handle) } catch {
      throw GatewayError(
        .failed, code: "output_file", "\(path) cannot be written to its end, and is removed",
        hint: "make room on the disk")
    }
  }
}
