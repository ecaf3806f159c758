import CLinux
import Foundation
import HostErrors

/// Files with seeds that were just made.
struct SeedFiles {
  let paths: [String]

  /// Writes each seed to a file of its own that only this user can read, and that was not there.
  ///
  /// - Throws: ``ProgramError`` `seed_file`; then none of them is left.
  static func write(_ seeds: [(name: String, seed: String)], to folder: String) throws(ProgramError) -> SeedFiles {
    var made: [String] = []
    for (name, seed) in seeds {
      let path = folder == "." ? "\(name).seed" : "\(folder)/\(name).seed"
      guard let reason = write("\(seed)\n", to: path) else {
        made.append(path)
        continue
      }
      SeedFiles(paths: made).remove()
      throw ProgramError(
        .failed, code: "seed_file", "\(path) cannot be written: \(String(cString: strerror(reason)))",
        hint: reason == EEXIST ? "a seed that is there is not overwritten; name another folder" : nil)
    }
    return SeedFiles(paths: made)
  }

  /// Deletes them.
  func remove() { for path in paths { unlink(path) } }

  /// - Returns: What went wrong, as errno; nil when it is on disk.
  private static func write(_ text: String, to path: String) -> Int32? {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return errno }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      try handle.write(contentsOf: Data(text.utf8))
      try handle.synchronize()
      return nil
    } catch {
      unlink(path)
      return EIO
    }
  }
}
