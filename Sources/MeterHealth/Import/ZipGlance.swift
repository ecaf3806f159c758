/// What the outside of an archive shows, for the words about a file that no driver has taken.
struct ZipGlance {
  /// Whether it begins as a zip archive does.
  private(set) var isArchive = false
  /// Whether its directory is there, which stands at the end.
  private(set) var isWhole = false
  /// Whether an entry has a password.
  private(set) var isEncrypted = false

  /// The longest comment that can stand behind the directory's end, and that end.
  private static let tail = 65_535 + 22
  private static let most = 1 << 20

  init(_ export: HealthExport) throws(HealthImportError) {
    let head = try export.read(8, at: 0)
    guard head.starts(with: [0x50, 0x4b, 0x03, 0x04]), head.count == 8 else { return }
    isArchive = true
    isEncrypted = head[6] & 1 == 1
    let start = export.size - min(export.size, UInt64(Self.tail))
    let tail = try export.read(Self.tail, at: start)
    guard let end = Self.place(of: [0x50, 0x4b, 0x05, 0x06], in: tail), end + 20 <= tail.count else { return }
    isWhole = true
    let (length, offset) = (Self.word(tail, end + 12), Self.word(tail, end + 16))
    look(through: try export.read(Int(min(length, UInt64(Self.most))), at: offset))
  }

  /// Looks through the directory's entries.
  private mutating func look(through directory: [UInt8]) {
    var at = 0
    while at + 46 <= directory.count, directory[at..<at + 4].elementsEqual([0x50, 0x4b, 0x01, 0x02]) {
      if directory[at + 8] & 1 == 1 { isEncrypted = true }
      at += 46 + (0..<3).reduce(0) { $0 + Int(directory[at + 28 + 2 * $1]) + Int(directory[at + 29 + 2 * $1]) << 8 }
    }
  }

  private static func place(of mark: [UInt8], in bytes: [UInt8]) -> Int? {
    guard bytes.count >= mark.count else { return nil }
    return (0...bytes.count - mark.count).last { bytes[$0] == mark[0] && bytes[$0...].starts(with: mark) }
  }

  private static func word(_ bytes: [UInt8], _ at: Int) -> UInt64 {
    (0..<4).reduce(0) { $0 | UInt64(bytes[at + $1]) << UInt64(8 * $1) }
  }
}
