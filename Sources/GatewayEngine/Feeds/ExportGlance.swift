/// What a file may be by its first bytes: which of the forms that exports have, or none.
enum ExportGlance: Sendable, Hashable, CaseIterable {
  /// An archive (PKWARE APPNOTE 4.3.7: a local file header).
  case archive
  /// An SQLite database (https://www.sqlite.org/fileformat.html, section 1.3).
  case database
  /// Markup.
  case markup
  /// A JSON document: what automations write.
  case json

  /// How many bytes are looked at.
  static let length = 512

  /// - Parameter bytes: The file's first ``length`` bytes, or all of it.
  init?(_ bytes: [UInt8]) {
    if bytes.starts(with: [0x50, 0x4b, 0x03, 0x04]) {
      self = .archive
      return
    }
    if bytes.starts(with: Array("SQLite format 3".utf8) + [0]) {
      self = .database
      return
    }
    // Behind a byte order mark and blanks, as editors and automations leave them.
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    let text = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
    switch text.first(where: { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }) {
    case UInt8(ascii: "<"): self = .markup
    case UInt8(ascii: "{"), UInt8(ascii: "["): self = .json
    default: return nil
    }
  }
}
