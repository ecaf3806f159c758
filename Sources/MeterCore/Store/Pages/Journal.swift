internal import Foundation

/// SQLite's write-ahead log, read without SQLite (file format, section 4): SQLite takes nothing from the first frame on
/// that does not verify, even if what was committed later is whole.
///
/// A frame's checksum goes on from the one that the frame before it states, so each frame can be verified beside a damaged
/// one.
struct Journal {
  /// Where the newest committed content of a page stands in the file.
  let pages: [Int: Range<Int>]
  let pageSize: Int
  /// The number of pages of the database after the last commit, where there is one.
  let pageCount: Int?
  /// The content of each frame that belongs to a commit, in the order in which they were written.
  let committed: [Range<Int>]
  /// Whether a commit may be missing before a place of the file, because the head or a frame before it does not verify.
  func isBehindDamage(_ place: Int) -> Bool { place > firstDamage }
  private let firstDamage: Int
  /// A frame, or the head, is damaged that was on disk before something behind it was written: no power cut does that.
  let hasGap: Bool

  private struct Frame {
    let page: Int
    /// The size of the database in pages; 0 in every frame of a transaction but the last.
    let size: Int
    let content: Range<Int>
    let isWhole: Bool
  }

  private static let headerSize = 32
  static let frameHeaderSize = 24

  /// Nil for a file that holds no frame.
  init?(_ file: Data) {
    guard file.count > Self.headerSize else { return nil }
    let head = Head(file)
    let size = head.pageSize
    let frames = Self.frames(file, head)
    pageSize = size
    let firstBad = frames.firstIndex { !$0.isWhole } ?? frames.endIndex
    let later = frames[firstBad...].dropFirst().count { $0.isWhole && $0.size > 0 }
    // The frames that a power cut may leave unfinished end with one commit.
    let endsTransaction = firstBad < frames.endIndex && frames[firstBad].size > 0
    // SQLite takes nothing behind a head that does not verify; it is on disk before the first frame is written.
    hasGap =
      head.isWhole ? later > 1 || later == 1 && endsTransaction : frames.contains { $0.isWhole && $0.size > 0 }
    guard head.isWhole || hasGap else { return nil }
    var (pages, pending): ([Int: Range<Int>], [Frame]) = ([:], [])
    var pageCount: Int?
    var committed: [Range<Int>] = []
    for frame in hasGap ? frames[...] : frames[..<firstBad] where frame.isWhole {
      pending.append(frame)
      guard frame.size > 0 else { continue }
      for frame in pending { pages[frame.page] = frame.content }
      committed += pending.map(\.content)
      pending = []
      pageCount = frame.size
    }
    self.pages = pages
    self.pageCount = pageCount
    self.committed = committed
    firstDamage = !head.isWhole ? 0 : firstBad < frames.endIndex ? frames[firstBad].content.lowerBound : .max
  }

  /// What the head says, and what is most likely where it cannot be believed.
  private struct Head {
    /// Whether SQLite takes it.
    let isWhole: Bool
    let pageSize: Int
    /// In which order the words of checksums are read.
    let isBigEndian: Bool
    let salt: Int?

    init(_ file: Data) {
      let magic = file.number(at: 0, count: 4) ?? 0
      let size = file.number(at: 8, count: 4) ?? 0
      let isSize = size >= 512 && size <= 65_536 && size & (size - 1) == 0
      let sum = Journal.checksum(file, [0..<24], isBigEndian: magic & 1 == 1, (0, 0))
      isWhole =
        magic & ~1 == 0x377F_0682 && isSize
        && (file.number(at: 24, count: 4), file.number(at: 28, count: 4)) == (Int(sum.0), Int(sum.1))
      // What SQLite makes on this machine, and the salt that the first frames bear.
      pageSize = isWhole ? size : 4096
      isBigEndian = isWhole && magic & 1 == 1
      salt = isWhole ? file.number(at: 16, count: 8) : file.number(at: Journal.headerSize + 8, count: 8)
    }
  }

  private static func frames(_ file: Data, _ head: Head) -> [Frame] {
    let (isBigEndian, salt, pageSize) = (head.isBigEndian, head.salt, head.pageSize)
    var frames: [Frame] = []
    var before = (file.number(at: 24, count: 4) ?? 0, file.number(at: 28, count: 4) ?? 0)
    var start = headerSize
    while start + frameHeaderSize + pageSize <= file.count {
      let content = (start + frameHeaderSize)..<(start + frameHeaderSize + pageSize)
      let stated = (file.number(at: start + 16, count: 4) ?? 0, file.number(at: start + 20, count: 4) ?? 0)
      let sum = checksum(
        file, [start..<(start + 8), content], isBigEndian: isBigEndian,
        (UInt32(truncatingIfNeeded: before.0), UInt32(truncatingIfNeeded: before.1)))
      let isWhole = stated == (Int(sum.0), Int(sum.1)) && file.number(at: start + 8, count: 8) == salt
      // What an earlier use of the file has left behind the end bears another salt.
      frames.append(
        Frame(
          page: file.number(at: start, count: 4) ?? 0, size: file.number(at: start + 4, count: 4) ?? 0,
          content: content, isWhole: isWhole))
      before = stated
      start = content.upperBound
    }
    return frames
  }

  private static func checksum(
    _ file: Data, _ ranges: [Range<Int>], isBigEndian: Bool, _ start: (UInt32, UInt32)
  ) -> (UInt32, UInt32) {
    var sum = start
    file.withUnsafeBytes { bytes in
      for range in ranges {
        for offset in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
          let (first, second) = (
            bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self),
            bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
          )
          sum.0 &+= (isBigEndian ? UInt32(bigEndian: first) : UInt32(littleEndian: first)) &+ sum.1
          sum.1 &+= (isBigEndian ? UInt32(bigEndian: second) : UInt32(littleEndian: second)) &+ sum.0
        }
      }
    }
    return sum
  }
}
