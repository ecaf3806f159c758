internal import Foundation
internal import Glibc

/// The files of a state folder that a backup takes beside the database: everything but what a new folder makes for itself, what is
/// taken apart, and what is unfinished. A file that a later version adds is taken without being named here.
package enum StateParts {
  /// Names in the state folder that no backup has: the database and its neighbours, which are copied as one; the key, which goes
  /// only where a person wants it to; locks and sockets; copies of damaged databases, which may fill the disk twice over.
  private static let left: Set<String> = [
    MeterStore.fileName, CommitWitness.fileName, "lock", "initialized", "control.sock", VaultKey.folder,
    StateFolder.restoringMarker, StateSnapshot.folderName, RestoredParts.driversFolder,
  ]
  private static let unfinished = ".part"
  /// Names of a path, at most: a package of drivers may have nine of them below the drop-in folder, and is `restored` afterwards.
  private static let deepest = 16

  /// Whether a file is taken, by its path in the state folder. The same decides what may be restored.
  package static func isPart(_ path: String) -> Bool {
    guard let names = names(of: path), let first = names.first, !left.contains(first) else { return false }
    return !first.hasPrefix("\(MeterStore.fileName)-") && !first.hasPrefix("\(MeterStore.fileName).")
      && !first.hasPrefix("damaged-") && !names.contains { $0.hasSuffix(unfinished) }
  }

  /// The names that a relative path consists of; nil for one that leads elsewhere, or that nobody could type or see.
  package static func names(of path: String) -> [String]? {
    guard (1...1024).contains(path.utf8.count), path.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
    else { return nil }
    // By bytes, as the system does: a slash with a combining character behind it is another character, and leads on all the same.
    let names = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    let areNames = names.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." && $0.utf8.count <= 255 }
    return areNames && names.count <= deepest ? names : nil
  }

  /// The files of a folder by their paths in it, in order, and what was left because it is no file.
  package static func files(in folder: String) -> (files: [String], strange: [String]) {
    var found: (files: [String], strange: [String]) = ([], [])
    collect(folder, "", &found)
    return (found.files.sorted(), found.strange.sorted())
  }

  private static func collect(_ root: String, _ prefix: String, _ found: inout (files: [String], strange: [String])) {
    let names =
      (try? FileManager.default.contentsOfDirectory(atPath: prefix.isEmpty ? root : "\(root)/\(prefix)")) ?? []
    for name in names {
      let path = prefix.isEmpty ? name : "\(prefix)/\(name)"
      var status = stat()
      guard lstat("\(root)/\(path)", &status) == 0 else { continue }
      switch status.st_mode & S_IFMT {
      case S_IFDIR where Self.names(of: path + "/x") != nil: collect(root, path, &found)
      case S_IFREG where Self.names(of: path) != nil: found.files.append(path)
      default: found.strange.append(path)
      }
    }
  }
}
