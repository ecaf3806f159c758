internal import Foundation
internal import Glibc

/// A recording's file as it lies in the state folder.
package struct RecordingFile: Sendable, Hashable {
  /// The recording's name.
  package let name: String
  package let path: String
  /// Bytes.
  package let size: Int
  /// Whether somebody wants it kept: no limit and no session's end removes it.
  package let isKept: Bool
  /// When the file was changed last, microseconds since 1970.
  package let modifiedMicroseconds: Int64

  package init(name: String, path: String, size: Int, isKept: Bool, modifiedMicroseconds: Int64 = 0) {
    (self.name, self.path, self.size, self.isKept) = (name, path, size, isKept)
    self.modifiedMicroseconds = modifiedMicroseconds
  }
}

/// The recordings of a state folder, as files: what lies there, without a lock on the folder. What is in them stands in
/// `MeterDrivers`.
///
/// `recordings/NAME.mhrec` goes with its session and by age, number and size; `recordings/kept/` is a person's to clear.
package struct RecordingFolder: Sendable {
  /// The state folder.
  package let state: String

  static let (folder, kept, suffix) = ("recordings", "recordings/kept", ".mhrec")

  /// The recordings of this state folder.
  package init(state: String) { self.state = state }

  /// What a name may be: letters, digits, `.`, `_` and `-`, beginning with a letter or digit, at most 128.
  package static func isName(_ name: String) -> Bool {
    let letters = name.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
      default: false
      }
    }
    return letters && (1...128).contains(name.utf8.count) && !name.hasPrefix(".") && !name.hasPrefix("-")
  }

  /// All recordings, by name.
  package var files: [RecordingFile] {
    (files(in: Self.folder, isKept: false) + files(in: Self.kept, isKept: true)).sorted { $0.name < $1.name }
  }

  /// The recording of a name; nil when there is none.
  package func file(_ name: String) -> RecordingFile? {
    guard Self.isName(name) else { return nil }
    return [false, true].lazy.compactMap { isKept in
      file(name + Self.suffix, in: isKept ? Self.kept : Self.folder, isKept: isKept)
    }.first
  }

  /// Removes a recording.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  package func remove(_ name: String) -> Bool {
    guard let file = file(name) else { return false }
    return unlink(file.path) == 0
  }

  /// Removes a recording for being too old or too much. One that a person keeps at this very moment stays.
  package func removeSurplus(_ name: String) {
    guard Self.isName(name) else { return }
    unlink("\(state)/\(Self.folder)/\(name)\(Self.suffix)")
  }

  /// Sets when a recording's file was changed last, microseconds since 1970.
  package func setModified(_ microseconds: Int64, of name: String) {
    guard Self.isName(name) else { return }
    let time = timespec(tv_sec: Int(microseconds / 1_000_000), tv_nsec: Int(microseconds % 1_000_000) * 1000)
    _ = utimensat(AT_FDCWD, "\(state)/\(Self.folder)/\(name)\(Self.suffix)", [time, time], AT_SYMLINK_NOFOLLOW)
  }

  /// Keeps a recording past its session and all limits.
  ///
  /// - Returns: False when there is none of this name that could be kept.
  package func keep(_ name: String) -> Bool {
    guard let file = file(name) else { return false }
    guard !file.isKept else { return true }
    guard mkdir("\(state)/\(Self.kept)", 0o700) == 0 || errno == EEXIST else { return false }
    guard rename(file.path, "\(state)/\(Self.kept)/\(name)\(Self.suffix)") == 0 else { return false }
    try? StateFolder.syncFolder("\(state)/\(Self.kept)")
    try? StateFolder.syncFolder("\(state)/\(Self.folder)")
    return true
  }

  /// Removes all that nobody wants kept, and what a crash has left half written.
  func removeUnkept() {
    for name in names(Self.folder) where name.hasSuffix(Self.suffix) || name.hasSuffix(".part") {
      unlink("\(state)/\(Self.folder)/\(name)")
    }
    try? StateFolder.syncFolder("\(state)/\(Self.folder)")
  }

  /// What a person has set for recordings, such as `settings.json`; nil when there is nothing.
  package func setting(_ name: String) -> [UInt8]? {
    guard Self.isName(name), let bytes = try? PlainFile.contents("\(state)/\(Self.folder)/\(name)") else {
      return nil
    }
    return Array(bytes.prefix(1 << 16))
  }

  /// Writes a setting, or removes it.
  ///
  /// - Throws: ``StoreError`` when it cannot be written.
  package func set(_ bytes: [UInt8]?, _ name: String) throws(StoreError) {
    let folder = "\(state)/\(Self.folder)"
    guard let bytes else {
      guard unlink("\(folder)/\(name)") == 0 || errno == ENOENT else {
        throw StateFolder.failure("cannot remove \(folder)/\(name).")
      }
      return
    }
    for path in [state, folder] {
      guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
        throw StateFolder.failure("cannot make the folder \(path).")
      }
    }
    var file = try DurableFile(directory: folder, name: name, code: .folder)
    try file.append(bytes)
    _ = try file.finish()
  }

  private func files(in folder: String, isKept: Bool) -> [RecordingFile] {
    names(folder).filter { $0.hasSuffix(Self.suffix) }.compactMap { file($0, in: folder, isKept: isKept) }
  }

  private func file(_ name: String, in folder: String, isKept: Bool) -> RecordingFile? {
    let path = "\(state)/\(folder)/\(name)"
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    // The file system may hold any number.
    let (seconds, isFar) = Int64(status.st_mtim.tv_sec).multipliedReportingOverflow(by: 1_000_000)
    return RecordingFile(
      name: String(name.dropLast(Self.suffix.count)), path: path, size: Int(status.st_size), isKept: isKept,
      modifiedMicroseconds: isFar ? 0 : seconds &+ Int64(status.st_mtim.tv_nsec) / 1000)
  }

  private func names(_ folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: "\(state)/\(folder)")) ?? []
  }
}
