internal import Foundation
internal import Glibc

/// The pages of a database file as its last commit left them, read without SQLite: it refuses files that are damaged in
/// one place, and with them everything that is not.
final class DatabaseImage {
  let pageSize: Int
  let pageCount: Int
  /// A page that the disk cannot read is a page that cannot be read; a mapped file would end the process there.
  private let file: Int32
  private let log: Data
  private let journal: Journal?

  /// Opens a database file, and its journal where there is one.
  init(path: String) throws(StoreError) {
    file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else {
      throw StoreError(.folder, "cannot open \(path); check its owner.", cause: String(cString: strerror(errno)))
    }
    log = FileManager.default.contents(atPath: path + "-wal") ?? Data()
    journal = Journal(log)
    let length = Int(lseek(file, 0, SEEK_END))
    let stated = Self.bytes(file, 16..<18)?.number(at: 0, count: 2).map { $0 == 1 ? 65_536 : $0 } ?? 0
    let isSize = stated >= 512 && stated & (stated - 1) == 0 && length % stated == 0
    // What Debian's SQLite chooses, where neither header can be believed.
    let size = journal?.pageSize ?? (isSize ? stated : 4096)
    pageSize = size
    pageCount = max(length / size, journal?.pages.keys.max() ?? 0)
  }

  deinit { close(file) }

  /// A page by its number from 1; nil beyond the end.
  func page(_ number: Int) -> [UInt8]? {
    if let range = journal?.pages[number] { return Array(log[range]) }
    guard number > 0, number <= pageCount else { return nil }
    return Self.bytes(file, ((number - 1) * pageSize)..<(number * pageSize))
  }

  private static func bytes(_ file: Int32, _ range: Range<Int>) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: range.count)
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeMutableBytes { buffer in
        pread(file, buffer.baseAddress?.advanced(by: done), range.count - done, off_t(range.lowerBound + done))
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return nil }
      done += count
    }
    return bytes
  }
}
