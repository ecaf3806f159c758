package import Foundation
import Glibc
package import MeterCore
import Synchronization

/// Bodies that were posted and wait for their import: files of a folder in the state folder, each whole and on disk before its sender hears
/// of it. They outlive the process; the session of each is in its name.
///
/// A body is written under a name that ends in `.part` and renamed when it is on disk, so that what a killed process has left is told from
/// what is whole.
package final class HealthSpool: Sendable {
  /// How much it may hold.
  package struct Limits: Sendable, Hashable {
    /// All bodies, in bytes.
    package var bytes = 1 << 30
    /// All bodies.
    package var files = 1_000
    /// Bytes of the disk that stay free: without them nothing more could be taken from meters.
    package var reserve = 16 << 20

    /// The limits of a host.
    package init() {}
  }

  private struct Book {
    /// The whole ones.
    var bytes = 0
    var files = 0
    /// Those that are being written, by id, in bytes.
    var growing: [String: Int] = [:]

    var allBytes: Int { growing.values.reduce(bytes, +) }
    var allFiles: Int { files + growing.count }
  }

  let folder: String
  private let stateFolder: String
  private let limits: Limits
  private let book = Mutex(Book())

  /// The spool of a state folder; nothing is made until a body comes.
  package init(stateFolder: URL, limits: Limits = Limits()) {
    self.stateFolder = stateFolder.path
    folder = "\(stateFolder.path)/health/spool"
    self.limits = limits
  }

  /// Begins a body.
  ///
  /// - Parameter came: Microseconds since 1970-01-01T00:00Z.
  /// - Throws: ``SpoolError``.
  package func begin(
    from source: String, of generation: SessionGeneration, came: Int64
  ) throws(SpoolError) -> SpoolWriter {
    try makeFolder()
    let id = UUID().uuidString.replacing("-", with: "").lowercased()
    let name = SpoolName(generation: generation, came: max(came, 0), id: id, source: source)
    let found = entries()
    let isFull = book.withLock { book in
      (book.files, book.bytes) = (found.count, found.reduce(0) { $0 + $1.size })
      guard book.allFiles < limits.files, book.allBytes < limits.bytes else { return true }
      book.growing[id] = 0
      return false
    }
    guard !isFull else { throw .full }
    let temporary = "\(folder)/\(id)\(SpoolName.unfinished)"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let error = SpoolError(errno)
      abandon(id)
      throw error
    }
    return SpoolWriter(name, in: self, temporary: temporary, descriptor: descriptor)
  }

  /// The whole bodies, the oldest first.
  package func entries() -> [SpoolEntry] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return files.compactMap { file -> SpoolEntry? in
      guard let name = SpoolName(file) else { return nil }
      var status = stat()
      let path = "\(folder)/\(file)"
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
      return SpoolEntry(name: name, path: path, size: Int(status.st_size))
    }.sorted { ($0.name.came, $0.name.id) < ($1.name.came, $1.name.id) }
  }

  /// Whether a body is still there.
  func holds(_ entry: SpoolEntry) -> Bool { access(entry.path, F_OK) == 0 }

  /// Removes a body.
  package func remove(_ entry: SpoolEntry) {
    guard unlink(entry.path) == 0 else { return }
    book.withLock { book in
      book.bytes = max(book.bytes - entry.size, 0)
      book.files = max(book.files - 1, 0)
    }
  }

  /// Removes what an earlier process has not written to its end; called before anything is begun.
  package func tidy() {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for file in files where file.hasSuffix(SpoolName.unfinished) { unlink("\(folder)/\(file)") }
  }

  // MARK: - For writers

  func grow(_ id: String, by count: Int) throws(SpoolError) {
    let isFull = book.withLock { book in
      guard book.allBytes + count <= limits.bytes else { return true }
      book.growing[id, default: 0] += count
      return false
    }
    if isFull { throw .full }
  }

  /// Whether a file of the spool may grow by so much.
  func hasRoom(_ descriptor: Int32, for count: Int) -> Bool {
    var status = statvfs()
    guard fstatvfs(descriptor, &status) == 0 else { return true }
    let free = Int64(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
    return free >= Int64(limits.reserve) + Int64(count)
  }

  func abandon(_ id: String) { book.withLock { book in book.growing[id] = nil } }

  func complete(_ id: String, _ size: Int) {
    book.withLock { book in
      book.growing[id] = nil
      book.bytes += size
      book.files += 1
    }
  }

  static func sync(_ folder: String) -> Bool {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return fsync(descriptor) == 0
  }

  /// The folders, this user's alone; a new one is on disk in its parent when this returns.
  private func makeFolder() throws(SpoolError) {
    for (parent, name) in [(stateFolder, "health"), ("\(stateFolder)/health", "spool")] {
      if mkdir("\(parent)/\(name)", 0o700) == 0 {
        guard Self.sync(parent) else { throw SpoolError(errno) }
      } else if errno != EEXIST {
        throw SpoolError(errno)
      }
    }
  }
}
