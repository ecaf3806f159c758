import CLinux
import Foundation
import Glibc
import TestSupport
import Testing

/// Whether a folder was handed over, by what stands in it, on it and above it. Folders that are no control groups are as good for that.
@Suite("A folder was handed over") struct DelegationTests {
  /// Which marks this user can set on this machine's temporary folders: a file system may take none, and `trusted` is root's.
  static let marks = ["user.delegate", "trusted.delegate"].filter { mark in
    (try? TemporaryFolder()).map { set(mark, "1", on: $0.path) } ?? false
  }

  private static func set(_ mark: String, _ value: String, on folder: String) -> Bool {
    // Swift's module of the C library has no extended attributes.
    let script = "import os, sys; os.setxattr(sys.argv[1], sys.argv[2], sys.argv[3].encode())"
    return (try? ChildProcess.run(tool: "python3", ["-c", script, folder, mark, value]))?.status == 0
  }

  /// A folder in one that belongs to another user if this one is root, and else to the same.
  private func answer(control mode: mode_t?, mark: String? = nil, value: String = "1") throws -> Int32 {
    let above = try TemporaryFolder()
    let folder = "\(above.path)/group"
    try #require(mkdir(folder, 0o755) == 0)
    if geteuid() == 0 { try #require(chown(above.path, 65534, 65534) == 0) }
    if let mode {
      let control = "\(folder)/cgroup.subtree_control"
      try Data().write(to: URL(filePath: control))
      try #require(chmod(control, mode) == 0)
    }
    if let mark { try #require(Self.set(mark, value, on: folder)) }
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    try #require(descriptor >= 0)
    defer { _ = withExtendedLifetime(above) { close(descriptor) } }
    return clinux_folder_is_delegated(descriptor)
  }

  @Test("when its manager says so and this process may write to it", .enabled(if: !marks.isEmpty), arguments: marks)
  func marked(mark: String) throws {
    #expect(try answer(control: 0o644, mark: mark) == 1)
    #expect(try answer(control: nil, mark: mark) == 0)
    // What is not for writing is so for root, too, only on a file system that is mounted so.
    #expect(try answer(control: 0o444, mark: mark) == (geteuid() == 0 ? 1 : 0))
    for value in ["0", "11", ""] { #expect(try answer(control: 0o644, mark: mark, value: value) == 0, "\(value)") }
  }

  @Test("by nobody, without a mark, to root or to whose folder the one above is, too") func unmarked() throws {
    #expect(try answer(control: 0o644) == 0)
  }

  @Test("to a user who is not root, by its owner alone") func owned() throws {
    let folder = try TemporaryFolder()
    var above = stat()
    try #require(stat("\(folder.path)/..", &above) == 0)
    try Data().write(to: URL(filePath: "\(folder.path)/cgroup.subtree_control"))
    let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    try #require(descriptor >= 0)
    defer { _ = withExtendedLifetime(folder) { close(descriptor) } }
    let isHandedOver = geteuid() != 0 && above.st_uid != geteuid()
    #expect(clinux_folder_is_delegated(descriptor) == (isHandedOver ? 1 : 0))
  }
}
