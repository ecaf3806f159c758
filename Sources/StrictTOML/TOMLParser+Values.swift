import StrictJSON

extension TOMLParser {
  mutating func value(depth: Int) throws(TOMLSyntaxError) -> TOMLValue {
    let start = position
    switch next {
    case "\"", "'": return TOMLValue(content: .string(try string()), position: place(start))
    case "[": return TOMLValue(content: .array(try array(depth: depth)), position: place(start))
    case "{": throw notRead("a table in one line", at: start, cure: "write it as a table under a header: [NAME]")
    case nil, "\n", "\r", "#": throw unexpected("a value")
    default: return TOMLValue(content: try word(), position: place(start))
    }
  }

  private mutating func array(depth: Int) throws(TOMLSyntaxError) -> [TOMLValue] {
    guard depth < limits.depth else {
      throw failure(.tooDeep, "arrays lie in more than \(limits.depth) others", cure: "put fewer into each other")
    }
    position += 1
    var values: [TOMLValue] = []
    while true {
      try skipLines()
      if next == "]" { break }
      values.append(try value(depth: depth + 1))
      try skipLines()
      if next == "]" { break }
      guard next == "," else { throw unexpected("',' or ']' in an array") }
      position += 1
    }
    position += 1
    return values
  }

  /// Blanks, comments and ends of lines, which may stand anywhere in an array.
  private mutating func skipLines() throws(TOMLSyntaxError) {
    while true {
      skipBlanks()
      guard next == "#" || next == "\n" || next == "\r" else { return }
      try endLine()
    }
  }

  // MARK: - Strings

  /// A basic or literal string in one line.
  mutating func string() throws(TOMLSyntaxError) -> String {
    let (start, quote) = (position, bytes[position])
    if bytes[start...].starts(with: [quote, quote, quote]) {
      throw notRead("a string over several lines", at: start, cure: "write it in one line, with \\n where a line ends")
    }
    position += 1
    var content: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      if byte == quote {
        position += 1
        return String(decoding: content, as: UTF8.self)
      }
      if byte == 0x0a || byte == 0x0d { break }
      guard !Self.isControl(byte) else { throw controlCharacter() }
      if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        content += Array(String(try escape()).utf8)
      } else {
        content.append(byte)
        position += 1
      }
    }
    throw failure(.unexpectedEnd, "a string does not end in its line", at: start, cure: "close it with its quote")
  }

  private mutating func escape() throws(TOMLSyntaxError) -> Character {
    let start = position
    position += 1
    guard let letter = next else { throw unexpected("an escape") }
    position += 1
    switch letter {
    case "b": return "\u{8}"
    case "t": return "\t"
    case "n": return "\n"
    case "f": return "\u{c}"
    case "r": return "\r"
    case "\"", "\\": return Character(letter)
    case "u": return try scalar(digits: 4, from: start)
    case "U": return try scalar(digits: 8, from: start)
    default:
      throw failure(
        .invalidEscape, "there is no escape \\\(shown(String(Character(letter))))", at: start,
        cure: "write \\\\ for a backslash, or put the string into '...'")
    }
  }

  private mutating func scalar(digits: Int, from start: Int) throws(TOMLSyntaxError) -> Character {
    let end = position + digits
    guard end <= bytes.count, bytes[position..<end].allSatisfy({ Self.digit($0) != nil }),
      let code = UInt32(text(position..<end), radix: 16), let scalar = Unicode.Scalar(code)
    else {
      throw failure(
        .invalidEscape, "the escape is no character", at: start, cure: "write \(digits) hexadecimal digits of one")
    }
    position = end
    return Character(scalar)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }

  // MARK: - Words

  /// `true`, `false` or a number.
  private mutating func word() throws(TOMLSyntaxError) -> TOMLValue.Content {
    let start = position
    while position < bytes.count, Self.isOfWord(bytes[position]) { position += 1 }
    let word = text(start..<position)
    switch word {
    case "": throw unexpected("a value")
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    default: break
    }
    if let number = try number(word, at: start) { return number }
    throw failure(
      .unexpectedText, "\(shown(word)) is no value", at: start, cure: "text stands in quotes: \"\(shown(word))\"")
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x3a, 0x41...0x5a, 0x61...0x7a, 0x2b, 0x2d, 0x2e, 0x5f, 0x2f, 0x80...0xff: true
    default: false
    }
  }

  /// Nil for what does not begin as a number does.
  private func number(_ word: String, at start: Int) throws(TOMLSyntaxError) -> TOMLValue.Content? {
    let unsigned = word.first == "-" || word.first == "+" ? String(word.dropFirst()) : word
    if unsigned == "inf" || unsigned == "nan" {
      throw notRead("a float that is no number", at: start, cure: "write a number")
    }
    guard let first = unsigned.utf8.first, (0x30...0x39).contains(first) else { return nil }
    let letters = Array(unsigned.utf8)
    if ["0x", "0o", "0b"].contains(where: unsigned.hasPrefix) {
      throw notRead("a number in another base", at: start, cure: "write it in decimal digits")
    }
    if letters.contains(UInt8(ascii: ":")) || letters.count >= 10 && letters[4] == 0x2d && letters[7] == 0x2d {
      throw notRead("a date or time", at: start, cure: "put it into quotes")
    }
    let wrong = failure(
      .invalidNumber, "\(shown(word)) is no number", at: start, cure: "correct it, or put it into quotes")
    guard Self.underscoresAreBetweenDigits(letters) else { throw wrong }
    let plain = word.replacing("_", with: "")
    let digits = unsigned.replacing("_", with: "")
    guard digits.count == 1 || digits.first != "0" || digits.dropFirst().first.map({ ".eE".contains($0) }) == true
    else {
      throw wrong
    }
    if digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      guard let integer = Int64(plain) else {
        throw failure(.invalidNumber, "\(shown(word)) does not fit 64 bits", at: start, cure: "write a smaller number")
      }
      return .integer(integer)
    }
    guard Self.isFloat(digits), let float = Double(plain), float.isFinite else { throw wrong }
    return .float(float)
  }

  private static func underscoresAreBetweenDigits(_ letters: [UInt8]) -> Bool {
    letters.indices.allSatisfy { index in
      letters[index] != 0x5f
        || index > 0 && index + 1 < letters.count && (0x30...0x39).contains(letters[index - 1])
          && (0x30...0x39).contains(letters[index + 1])
    }
  }

  /// Digits, a fraction, an exponent; each with at least one digit.
  private static func isFloat(_ text: String) -> Bool {
    let halves = text.lowercased().split(separator: "e", omittingEmptySubsequences: false)
    let areDigits = { (part: Substring) in !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    let mantissa = halves[0].split(separator: ".", omittingEmptySubsequences: false)
    guard halves.count <= 2, mantissa.count <= 2, mantissa.allSatisfy(areDigits) else { return false }
    guard halves.count == 2 else { return true }
    return areDigits(halves[1].first == "-" || halves[1].first == "+" ? halves[1].dropFirst() : halves[1])
  }
}
