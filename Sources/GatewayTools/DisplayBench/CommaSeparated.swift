/// A table of comma-separated values (RFC 4180): fields may be quoted, and lines end with CR LF or LF.
struct CommaSeparated: Sendable, Hashable {
  struct Row: Sendable, Hashable {
    /// The line of the file on which it begins, from 1.
    let line: Int
    /// Those before the one that is wrong, where there is a problem.
    let fields: [String]
    /// What is wrong with its quotes; nil when nothing is.
    let problem: String?

    /// Whether it holds something: spreadsheets write rows of commas only.
    fileprivate var isFilled: Bool { problem != nil || fields.contains { !$0.allSatisfy(\.isWhitespace) } }
  }

  /// All rows but those in which nothing stands.
  let rows: [Row]

  init(_ bytes: [UInt8]) throws(BenchProblem) {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw BenchProblem("the file is no UTF-8 text; save it as UTF-8")
    }
    // A mark that some programs put in front.
    var scanner = Scanner(bytes: bytes, place: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
    var rows: [Row] = []
    while let row = scanner.row() {
      if row.isFilled { rows.append(row) }
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

  /// The next row; nil at the end. One whose quotes are wrong ends with the line on which it begins, so that it takes no
  /// other rows along.
  mutating func row() -> CommaSeparated.Row? {
    guard place < bytes.count else { return nil }
    let (start, first) = (line, place)
    var fields: [String] = []
    do throws(BenchProblem) {
      while true {
        fields.append(bytes[place...].first == Self.quote ? try quoted() : plain())
        guard place < bytes.count else { break }
        guard bytes[place] == Self.comma else {
          endLine()
          break
        }
        place += 1
        // A comma at the very end has an empty field behind it.
        if place == bytes.count {
          fields.append("")
          break
        }
      }
      return CommaSeparated.Row(line: start, fields: fields, problem: nil)
    } catch {
      (line, place) = (start, first)
      endLine()
      return CommaSeparated.Row(line: start, fields: fields, problem: error.message)
    }
  }

  /// Goes on behind the next end of a line.
  private mutating func endLine() {
    while place < bytes.count, bytes[place] != Self.lineFeed, bytes[place] != Self.carriageReturn { place += 1 }
    guard place < bytes.count else { return }
    let end = bytes[place]
    place += 1
    if end == Self.carriageReturn, place < bytes.count, bytes[place] == Self.lineFeed { place += 1 }
    line += 1
  }

  private mutating func plain() -> String {
    let start = place
    while place < bytes.count, ![Self.comma, Self.lineFeed, Self.carriageReturn].contains(bytes[place]) { place += 1 }
    return String(decoding: bytes[start..<place], as: UTF8.self)
  }

  private mutating func quoted() throws(BenchProblem) -> String {
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
          throw BenchProblem("something stands behind a closing quote; write a quote inside a field twice")
        }
        return String(decoding: content, as: UTF8.self)
      }
      content.append(Self.quote)
      place += 1
    }
    throw BenchProblem("a quoted field has no end; put a quote behind it, and write one inside it twice")
  }
}
