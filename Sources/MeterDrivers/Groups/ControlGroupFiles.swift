import CLinux
import Foundation
import Glibc

/// What was asked of a control group and not done.
package struct ControlGroupFailure: Error, Hashable, CustomStringConvertible {
  /// The file or folder.
  package let path: String
  /// The system's reason (errno).
  package let number: Int32

  package init(_ path: String, _ number: Int32) { (self.path, self.number) = (path, number) }

  package var description: String { "\(path): \(String(cString: strerror(number)))" }
}

/// The files by which the kernel is told about control groups, or a stand-in for them.
package protocol ControlGroupFiles: Sendable {
  func read(_ path: String) throws(ControlGroupFailure) -> String
  /// Writes to a file that is there, in one piece.
  func write(_ text: String, to path: String) throws(ControlGroupFailure)
  func makeFolder(_ path: String) throws(ControlGroupFailure)
  func removeFolder(_ path: String) throws(ControlGroupFailure)
  /// The names in a folder; none where it cannot be read.
  func names(in folder: String) -> [String]
  /// Whether the group was handed to this process's user, who may make others below it.
  func isDelegated(_ folder: String) -> Bool
}

/// The kernel's own.
package struct KernelControlGroupFiles: ControlGroupFiles {
  /// Far more than a group that is this process's alone can say.
  private static let longest = 1 << 20

  package init() {}

  package func read(_ path: String) throws(ControlGroupFailure) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw ControlGroupFailure(path, errno) }
    defer { close(file) }
    var (bytes, room): ([UInt8], [UInt8]) = ([], Array(repeating: 0, count: 4096))
    while bytes.count < Self.longest {
      let count = Glibc.read(file, &room, room.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw ControlGroupFailure(path, errno) }
      if count == 0 { break }
      bytes += room.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  package func write(_ text: String, to path: String) throws(ControlGroupFailure) {
    let file = open(path, O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { throw ControlGroupFailure(path, errno) }
    defer { close(file) }
    let bytes = Array(text.utf8)
    var count: Int
    repeat { count = Glibc.write(file, bytes, bytes.count) } while count < 0 && errno == EINTR
    guard count >= 0 else { throw ControlGroupFailure(path, errno) }
    guard count == bytes.count else { throw ControlGroupFailure(path, EIO) }
  }

  package func makeFolder(_ path: String) throws(ControlGroupFailure) {
    guard mkdir(path, 0o755) == 0 else { throw ControlGroupFailure(path, errno) }
  }

  package func removeFolder(_ path: String) throws(ControlGroupFailure) {
    guard rmdir(path) == 0 else { throw ControlGroupFailure(path, errno) }
  }

  package func names(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }

  package func isDelegated(_ folder: String) -> Bool { clinux_control_group_is_delegated(folder) == 1 }
}
