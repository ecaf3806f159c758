internal import Foundation
internal import Glibc

/// A database as its last commit left it in one file without a journal, for somebody who opens it at once; its name goes with the
/// value, what is open stays.
struct DatabaseCopy: ~Copyable {
  let path: String
  private let folder: String

  /// In memory where the system has a place for that: nobody finds it after a crash.
  private static let places = ["/dev/shm", NSTemporaryDirectory()]

  init(of image: DatabaseImage) throws(StoreError) {
    let made = Self.places.lazy.compactMap { place -> String? in
      var name = Array("\(place)/meterhost-XXXXXX".utf8CString)
      return mkdtemp(&name).map { String(cString: $0) }
    }.first
    guard let made else {
      throw StateFolder.failure(
        "cannot make a folder in \(Self.places.joined(separator: " or ")) to read the database in.")
    }
    let file = "\(made)/\(MeterStore.fileName)"
    do {
      try Self.write(image, to: file)
    } catch {
      Self.remove(file, in: made)
      throw error
    }
    (folder, path) = (made, file)
  }

  private static func write(_ image: DatabaseImage, to path: String) throws(StoreError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StateFolder.failure("cannot make \(path) to read the database in.") }
    defer { close(descriptor) }
    guard image.pageCount > 0 else { return }
    for number in 1...image.pageCount {
      guard var page = image.page(number) else {
        throw StoreError(.inputOutput, "page \(number) of the state database cannot be read; check the medium.")
      }
      // Read and write version (SQLite file format, section 1.3): no write-ahead log.
      if number == 1, page.count > 19 { (page[18], page[19]) = (1, 1) }
      guard StateFolder.writeAll(page, to: descriptor) else {
        throw StateFolder.failure("cannot write \(path) to read the database in; make room there.")
      }
    }
  }

  private static func remove(_ file: String, in folder: String) {
    unlink(file)
    rmdir(folder)
  }

  /// Ends the value: until here the file has its name.
  consuming func dropName() {}

  deinit { Self.remove(path, in: folder) }
}
