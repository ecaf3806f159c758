internal import Foundation
internal import Glibc

/// A database and its journal as they were found damaged, or with commits missing, in a folder of their own beside the database.
///
/// What is in one may be nowhere else, and only a person can say whether it is: none is ever removed. So that they do not fill the
/// disk the same files are kept once, and with ``limit`` copies nothing more is done that needs another one.
package struct DamagedCopy: Sendable, Hashable {
  /// The folder's path.
  package let folder: String
  /// The bytes of its files.
  package let bytes: Int64
  let number: Int

  /// How many are kept.
  package static let limit = 8
  /// How many bytes they may have together; the first one may have more.
  package static let byteLimit: Int64 = 2 << 30

  /// Ends the name of one that is not whole.
  static let unfinished = ".part"
  private static let prefix = "damaged-"

  static func path(_ number: Int, in state: String) -> String { "\(state)/\(prefix)\(number)" }

  /// Those of a state folder, the oldest first.
  package static func all(in state: String) -> [DamagedCopy] {
    names(in: state).compactMap { name in
      guard let number = number(of: name) else { return nil }
      let folder = "\(state)/\(name)"
      let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return DamagedCopy(
        folder: folder, bytes: files.reduce(0) { $0 + (StateFolder.size("\(folder)/\($1)") ?? 0) }, number: number)
    }.sorted { $0.number < $1.number }
  }

  /// The folders that a crash has left before they were whole: what they were made of is still there.
  static func leftUnfinished(in state: String) -> [String] {
    names(in: state).filter { $0.hasSuffix(unfinished) && number(of: String($0.dropLast(unfinished.count))) != nil }
      .map { "\(state)/\($0)" }
  }

  private static func names(in state: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: state)) ?? []
  }

  private static func number(of name: String) -> Int? {
    name.hasPrefix(prefix) ? Int(name.dropFirst(prefix.count)) : nil
  }
}

extension StateFolder {
  /// Copies the database and its journal into a folder of their own: `damaged-1`, `damaged-2` and so on. Whatever comes in between,
  /// such a folder is whole.
  ///
  /// - Returns: The folder; an earlier one where it holds the same, as after a start that has failed behind its copy.
  /// - Throws: ``StoreError/Code/folder`` when there are too many of them, ``StoreError/Code/diskFull``; nothing has changed then.
  func keepCopy(_ name: String) throws(StoreError) -> String {
    let files = [name, "\(name)-wal"]
    for folder in DamagedCopy.leftUnfinished(in: path) { Self.remove(files, of: folder) }
    let copies = DamagedCopy.all(in: path)
    if let same = copies.first(where: { holds(files, $0.folder) }) { return same.folder }
    try checkRoom(beside: copies, for: files.reduce(0) { $0 + (Self.size("\(path)/\($1)") ?? 0) })
    let folder = DamagedCopy.path((copies.last?.number ?? 0) + 1, in: path)
    let begun = folder + DamagedCopy.unfinished
    guard mkdir(begun, 0o700) == 0 else {
      throw Self.failure("cannot make a folder for the damaged database in \(path).")
    }
    do throws(StoreError) {
      for file in files where Self.size("\(path)/\(file)") != nil { try copy(file, to: "\(begun)/\(file)") }
      try Self.syncFolder(begun)
      guard rename(begun, folder) == 0 else { throw Self.failure("cannot rename \(begun).") }
      try Self.syncFolder(path)
    } catch {
      Self.remove(files, of: begun)
      throw error
    }
    return folder
  }

  /// Removes what a copy may have and nothing else.
  private static func remove(_ files: [String], of folder: String) {
    for file in files { unlink("\(folder)/\(file)") }
    rmdir(folder)
  }

  private func holds(_ files: [String], _ folder: String) -> Bool {
    files.allSatisfy { file in
      let (here, there) = ("\(path)/\(file)", "\(folder)/\(file)")
      guard Self.size(here) == Self.size(there) else { return false }
      return Self.size(here) == nil || FileManager.default.contentsEqual(atPath: here, andPath: there)
    }
  }

  private func checkRoom(beside copies: [DamagedCopy], for bytes: Int64) throws(StoreError) {
    let kept = copies.reduce(0) { $0 + $1.bytes }
    guard !copies.isEmpty, copies.count >= DamagedCopy.limit || kept + bytes > DamagedCopy.byteLimit else { return }
    throw StoreError(
      .folder,
      "\(path) holds as many copies of damaged databases as may be (\(copies.count), \(kept >> 20) MiB), and the database that is "
        + "there now would be one more: nothing was changed. Move the folders damaged-* elsewhere, or remove them when what was in them is "
        + "known to be delivered, and try again.")
  }

  private func copy(_ source: String, to target: String) throws(StoreError) {
    let input = try PlainFile.open("\(path)/\(source)", O_RDONLY)
    defer { close(input) }
    let output = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard output >= 0 else { throw Self.failure("cannot make \(target).") }
    defer { close(output) }
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = read(input, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw Self.failure("cannot read \(path)/\(source).") }
      guard count > 0 else { break }
      guard Self.writeAll(Array(buffer[..<count]), to: output) else {
        throw Self.failure("cannot copy the damaged database to \(target); make room on the disk. Nothing was changed.")
      }
    }
    guard fsync(output) == 0 else { throw Self.failure("cannot sync \(target).") }
  }
}
