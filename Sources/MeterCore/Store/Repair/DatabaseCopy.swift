internal import Foundation
internal import Glibc

/// A database as its last commit left it in one file without a journal, for somebody who opens it at once; its name goes with the
/// value, what is open stays.
///
/// The folder of the file is locked as long as it has a name: what a killed process has left is known by that it is not.
struct DatabaseCopy: ~Copyable {
  let path: String
  private let folder: String
  private let lock: Int32

  /// In memory where the system has a place for that, which a container may have made small.
  static var places: [String] { ["/dev/shm", NSTemporaryDirectory()] }
  private static let prefix = "meterhost-look-"

  /// Makes the copy in the first of some places that has room for it.
  init(of image: DatabaseImage, in places: [String] = Self.places) throws(StoreError) {
    Self.removeLeftOver(in: places)
    var failures: [StoreError] = []
    for place in places {
      do throws(StoreError) {
        (folder, lock) = try Self.make(image, in: place)
        path = "\(folder)/\(MeterStore.fileName)"
        return
      } catch {
        failures.append(error)
      }
    }
    throw StoreError(
      failures.last?.code ?? .folder,
      "there is no place to read the database in: " + failures.map(\.message).joined(separator: " "),
      cause: failures.last?.cause)
  }

  private static func make(
    _ image: DatabaseImage, in place: String
  ) throws(StoreError) -> (folder: String, lock: Int32) {
    var name = Array("\(place)/\(prefix)XXXXXX".utf8CString)
    guard let folder = mkdtemp(&name).map({ String(cString: $0) }) else {
      throw StateFolder.failure("cannot make a folder in \(place).")
    }
    let lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    let file = "\(folder)/\(MeterStore.fileName)"
    do throws(StoreError) {
      guard lock >= 0, flock(lock, LOCK_EX) == 0 else { throw StateFolder.failure("cannot lock \(folder).") }
      try write(image, to: file)
    } catch {
      remove(file, in: folder)
      if lock >= 0 { close(lock) }
      throw error
    }
    return (folder, lock)
  }

  private static func write(_ image: DatabaseImage, to path: String) throws(StoreError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StateFolder.failure("cannot make \(path).") }
    defer { close(descriptor) }
    guard image.pageCount > 0 else { return }
    for number in 1...image.pageCount {
      guard var page = image.page(number) else {
        throw StoreError(.inputOutput, "page \(number) of the state database cannot be read; check the medium.")
      }
      // Read and write version (SQLite file format, section 1.3): no write-ahead log.
      if number == 1, page.count > 19 { (page[18], page[19]) = (1, 1) }
      guard StateFolder.writeAll(page, to: descriptor) else {
        throw StateFolder.failure("cannot write \(path); make room there.")
      }
    }
  }

  private static func remove(_ file: String, in folder: String) {
    unlink(file)
    rmdir(folder)
  }

  /// Removes the copies of processes that were killed while theirs had a name.
  static func removeLeftOver(in places: [String] = Self.places) {
    for place in places {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
      for name in names where name.hasPrefix(prefix) { removeLeftOver("\(place)/\(name)") }
    }
  }

  private static func removeLeftOver(_ folder: String) {
    let file = "\(folder)/\(MeterStore.fileName)"
    // An empty one holds nobody's readings, and may be one that is about to be locked.
    guard StateFolder.size(file) != nil else { return }
    // Everybody may write there: what belongs to others is left alone.
    let lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    guard lock >= 0 else { return }
    defer { close(lock) }
    var status = stat()
    guard fstat(lock, &status) == 0, status.st_uid == geteuid(), flock(lock, LOCK_EX | LOCK_NB) == 0 else { return }
    remove(file, in: folder)
  }

  /// Ends the value: until here the file has its name.
  consuming func dropName() {}

  deinit {
    Self.remove(path, in: folder)
    close(lock)
  }
}
