import StrictJSON

/// Reads a document line by line: headers of tables, and keys with their values.
struct TOMLParser {
  let bytes: [UInt8]
  let limits: TOMLLimits
  var position = 0
  /// Where each line begins; the first at 0.
  private let lineStarts: [Int]
  private var document = TOMLDocument()
  /// The table whose header came last.
  private var table: [String] = []
  private var keys: Set<[String]> = []
  private var headers: Set<[String]> = []
  /// Every table that a header names or needs.
  private var tables: Set<[String]> = []

  init(_ bytes: [UInt8], _ limits: TOMLLimits) {
    self.bytes = bytes
    self.limits = limits
    lineStarts = [0] + bytes.prefix(limits.size).indices.filter { bytes[$0] == 0x0a }.map { $0 + 1 }
  }

  mutating func parse() throws(TOMLSyntaxError) -> TOMLDocument {
    guard bytes.count <= limits.size else {
      throw failure(
        .tooLarge, "the text has \(bytes.count) bytes", at: 0, cure: "keep it at \(limits.size) bytes or fewer")
    }
    if let offset = firstInvalidUTF8() {
      throw failure(.invalidUTF8, "that is no UTF-8", at: offset, cure: "save the file as UTF-8")
    }
    while position < bytes.count {
      skipBlanks()
      switch next {
      case nil: break
      case "\n", "\r", "#": try endLine()
      case "[": try header()
      default: try entry()
      }
    }
    return document
  }

  // MARK: - Lines

  private mutating func header() throws(TOMLSyntaxError) {
    let start = position
    position += 1
    guard next != "[" else {
      throw notRead("an array of tables", at: start, cure: "write each table under a name of its own")
    }
    let path = try names(closing: "]")
    guard path.count <= limits.tableDepth else {
      throw failure(.tooDeep, "the table has \(path.count) names", at: start, cure: "use \(limits.tableDepth) or fewer")
    }
    let name = shown(path.joined(separator: "."))
    guard headers.insert(path).inserted else {
      throw failure(.duplicateKey, "the table \(name) is there twice", at: start, cure: "put its keys under one header")
    }
    for count in 1...path.count {
      let outer = Array(path.prefix(count))
      guard !keys.contains(outer) else {
        throw failure(
          .duplicateKey, "\(shown(outer.joined(separator: "."))) is a key with a value already, and no table",
          at: start,
          cure: "give the table or the key another name")
      }
      tables.insert(outer)
    }
    table = path
    document.tables.append(.init(path: path, position: place(start)))
    try endLine()
  }

  private mutating func entry() throws(TOMLSyntaxError) {
    let start = position
    let name = try name()
    skipBlanks()
    guard next != "." else {
      throw notRead("a key with dots", at: start, cure: "write the table as a header: [\(shown(name))]")
    }
    guard next == "=" else { throw unexpected("'=' behind the key \(shown(name))") }
    position += 1
    let path = table + [name]
    guard keys.insert(path).inserted else {
      throw failure(.duplicateKey, "the key \(shown(name)) is there twice", at: start, cure: "leave one of them")
    }
    guard !tables.contains(path) else {
      throw failure(
        .duplicateKey, "\(shown(name)) is a table already", at: start, cure: "give the table or the key another name")
    }
    skipBlanks()
    let value = try value(depth: 0)
    document.entries.append(.init(path: path, position: place(start), value: value))
    try endLine()
  }

  /// Names with dots between them, up to a closing character.
  private mutating func names(closing: Unicode.Scalar) throws(TOMLSyntaxError) -> [String] {
    var path: [String] = []
    while true {
      skipBlanks()
      path.append(try name())
      skipBlanks()
      if next == closing {
        position += 1
        return path
      }
      guard next == "." else { throw unexpected("'\(Character(closing))' or '.'") }
      position += 1
    }
  }

  /// A bare or quoted name.
  private mutating func name() throws(TOMLSyntaxError) -> String {
    if next == "\"" || next == "'" { return try string() }
    let start = position
    while position < bytes.count, Self.isBare(bytes[position]) { position += 1 }
    guard position > start else { throw unexpected("a key") }
    return text(start..<position)
  }

  private static func isBare(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x5f: true
    default: false
    }
  }

  /// What may stand behind a header or a value: blanks, a comment, the end of the line.
  mutating func endLine() throws(TOMLSyntaxError) {
    skipBlanks()
    try skipComment()
    switch next {
    case nil: return
    case "\n": position += 1
    case "\r" where position + 1 < bytes.count && bytes[position + 1] == 0x0a: position += 2
    default: throw unexpected("the end of the line")
    }
  }

  mutating func skipComment() throws(TOMLSyntaxError) {
    guard next == "#" else { return }
    while position < bytes.count, bytes[position] != 0x0a {
      if bytes[position] == 0x0d, position + 1 < bytes.count, bytes[position + 1] == 0x0a { return }
      guard !Self.isControl(bytes[position]) else { throw controlCharacter() }
      position += 1
    }
  }

  // MARK: - Bytes

  /// The byte at the position where it is ASCII, else a mark that is nothing of the grammar; nil at the end.
  var next: Unicode.Scalar? {
    position < bytes.count ? (bytes[position] < 0x80 ? Unicode.Scalar(bytes[position]) : "\u{FFFD}") : nil
  }

  mutating func skipBlanks() {
    while position < bytes.count, bytes[position] == 0x20 || bytes[position] == 0x09 { position += 1 }
  }

  static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 && byte != 0x09 || byte == 0x7f }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// The place of a byte; every value has one, so counting from the beginning each time would take too long.
  func place(_ offset: Int) -> TextPosition {
    var (low, high) = (0, lineStarts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if lineStarts[middle] <= offset { low = middle } else { high = middle }
    }
    return TextPosition(line: low + 1, column: offset - lineStarts[low] + 1)
  }

  private func firstInvalidUTF8() -> Int? {
    var (decoder, iterator) = (UTF8(), bytes.makeIterator())
    var offset = 0
    while true {
      switch decoder.decode(&iterator) {
      case .scalarValue(let scalar): offset += UTF8.width(scalar)
      case .emptyInput: return nil
      case .error: return offset
      }
    }
  }

  // MARK: - Failures

  func failure(
    _ code: TOMLSyntaxError.Code, _ problem: String, at offset: Int? = nil, cure: String
  ) -> TOMLSyntaxError {
    TOMLSyntaxError(code: code, position: place(offset ?? position), problem: problem, cure: cure)
  }

  func notRead(_ what: String, at offset: Int, cure: String) -> TOMLSyntaxError {
    failure(.notRead, "\(what) is not read here", at: offset, cure: cure)
  }

  func controlCharacter() -> TOMLSyntaxError {
    failure(
      .controlCharacter, "a control character (byte 0x\(String(bytes[position], radix: 16))) is not allowed here",
      cure: "remove it, or write it as an escape such as \\u0007")
  }

  func unexpected(_ wanted: String) -> TOMLSyntaxError {
    guard position < bytes.count else {
      return failure(.unexpectedEnd, "\(wanted) is expected, not the end of the text", cure: "complete the line")
    }
    let byte = bytes[position]
    let found =
      switch byte {
      case 0x0a, 0x0d: "the end of the line"
      case 0x21...0x7e: "'\(Character(Unicode.Scalar(byte)))'"
      default: "byte 0x" + String(byte, radix: 16)
      }
    return failure(.unexpectedText, "\(wanted) is expected, not \(found)", cure: "correct the line")
  }
}
