/// A table of comma-separated values (RFC 4180): fields may be quoted, and lines end with CR LF or LF.
struct CommaSeparated: Sendable, Hashable {
  /// One row.
  struct Row: Sendable, Hashable {
    /// The line of the file on which it begins, from 1.
    let line: Int
    let fields: [String]
  }

  /// Why a text is no table.
  struct Fault: Error, Sendable, Hashable {
    let line: Int
    let message: String
  }

  /// All rows but empty lines.
  let rows: [Row]

  init(_ bytes: [UInt8]) throws(Fault) {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw Fault(line: 1, message: "the file is no UTF-8 text")
    }
    // A mark that some programs put in front.
    var scanner = Scanner(bytes: bytes, place: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
    var rows: [Row] = []
    while let row = try scanner.row() {
      if row.fields != [""] { rows.append(row) }
    }
    self.rows = rows
  }
}

private struct Scanner {
  private static let quote = UInt8(ascii: "\"")
  private static let comma = UInt8(ascii: ",")
  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  let bytes: [UInt8]
  var place: Int
  private var line = 1

  init(bytes: [UInt8], place: Int) {
    self.bytes = bytes
    self.place = place
  }

  /// The next row; nil at the end.
  mutating func row() throws(CommaSeparated.Fault) -> CommaSeparated.Row? {
    guard place < bytes.count else { return nil }
    let start = line
    var fields: [String] = []
    while true {
      fields.append(bytes[place...].first == Self.quote ? try quoted() : plain())
      guard place < bytes.count else { break }
      let separator = bytes[place]
      place += 1
      if separator == Self.comma {
        // A comma at the very end has an empty field behind it.
        if place == bytes.count {
          fields.append("")
          break
        }
        continue
      }
      if separator == Self.carriageReturn, place < bytes.count, bytes[place] == Self.lineFeed { place += 1 }
      line += 1
      break
    }
    return CommaSeparated.Row(line: start, fields: fields)
  }

  private mutating func plain() -> String {
    let start = place
    while place < bytes.count, ![Self.comma, Self.lineFeed, Self.carriageReturn].contains(bytes[place]) { place += 1 }
    return String(decoding: bytes[start..<place], as: UTF8.self)
  }

  private mutating func quoted() throws(CommaSeparated.Fault) -> String {
    let start = line
    var content: [UInt8] = []
    place += 1
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      guard byte == Self.quote else {
        if byte == Self.lineFeed { line += 1 }
        content.append(byte)
        continue
      }
      guard place < bytes.count, bytes[place] == Self.quote else {
        guard place == bytes.count || [Self.comma, Self.lineFeed, Self.carriageReturn].contains(bytes[place]) else {
          throw CommaSeparated.Fault(line: line, message: "something stands behind a closing quote")
        }
        return String(decoding: content, as: UTF8.self)
      }
      content.append(Self.quote)
      place += 1
    }
    throw CommaSeparated.Fault(line: start, message: "a quoted field has no end")
  }
}
