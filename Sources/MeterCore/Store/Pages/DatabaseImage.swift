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
  let journal: Journal?
  /// Whether the file itself says that it has no write-ahead log (SQLite file format, section 1.3).
  let isWithoutLog: Bool

  /// Opens a database file, and its journal where there is one.
  ///
  /// - Parameter readsLog: False for the file alone, as if there were no journal.
  init(path: String, readsLog: Bool = true) throws(StoreError) {
    log = readsLog ? try PlainFile.contents(path + "-wal") ?? Data() : Data()
    file = try PlainFile.open(path, O_RDONLY)
    journal = Journal(log)
    let length = Int(lseek(file, 0, SEEK_END))
    let stated = Self.bytes(file, 16..<18)?.number(at: 0, count: 2).map { $0 == 1 ? 65_536 : $0 } ?? 0
    isWithoutLog = Self.bytes(file, 18..<20) == [1, 1]
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

  /// The newest content of each page that the journal holds, by the pages' numbers.
  var pagesOfLog: [(number: Int, content: [UInt8])] {
    (journal?.pages ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, Array(log[$0.value])) }
  }

  /// The content of each frame of the journal that belongs to a commit, with its page's number, in the order in which they were
  /// written.
  func forEachFrame(_ body: (_ content: Data, _ page: Int, _ place: Int) -> Void) {
    for range in journal?.committed ?? [] {
      let page = log.number(at: range.lowerBound - Journal.frameHeaderSize, count: 4) ?? 0
      body(log[range], page, range.lowerBound)
    }
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
