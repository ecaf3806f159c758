// Strings and numbers.

extension JSONParser {
  mutating func string(as kind: JSONKind) throws(JSONSyntaxError) -> JSONNode.Form {
    position += 1
    let start = position
    var form = JSONNode.Form.plain
    while true {
      // Most bytes of a text pass here, so these loops keep their place in a register.
      var index = position
      while let word = word(at: index) {
        let ends = Self.endsOfPlainText(word)
        index += ends.trailingZeroBitCount / 8
        if ends != 0 { break }
      }
      while index < bytes.count {
        // Printable ASCII, as one comparison.
        let byte = bytes[index]
        guard byte &- 0x20 < 0x5f, byte != 0x22, byte != 0x5c else { break }
        index += 1
      }
      position = index
      guard index < bytes.count else { throw ended("inside a string") }
      let byte = bytes[index]
      if byte == 0x22 { break }
      if byte >= 0x7f {
        if form == .plain { form = .unicode }
        if byte == 0x7f { position += 1 } else { try character() }
      } else if byte == 0x5c {
        guard kind == .string || rules.allowsEscapedKeys else {
          throw failure(.escapedKey, "a key has an escape", cure: "write the key's characters as they are")
        }
        form = .escaped
        try escape()
      } else {
        throw failure(
          .controlCharacter, "a string has the raw control character \(found())",
          cure: "write it as an escape, or remove it")
      }
    }
    append(kind, from: start, form: form)
    position += 1
    return form
  }

  /// The top bit of each of eight bytes that is a quote, a backslash or no printable ASCII.
  ///
  /// Exact up to the first of them: what a byte borrows or carries disturbs later bytes only ("Bit Twiddling Hacks",
  /// determine if a word has a byte less than n).
  @inline(__always) static func endsOfPlainText(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ (ones &* 0x22)
    let backslashes = word ^ (ones &* 0x5c)
    let hits =
      ((word &- ones &* 0x20) & ~word) | ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)
      | word | (word &+ ones)
    return hits & (ones &* 0x80)
  }

  /// One character of two to four bytes: no overlong form, no surrogate, nothing above U+10FFFF (RFC 3629).
  private mutating func character() throws(JSONSyntaxError) {
    let cure = "write the text in UTF-8"
    let lead = bytes[position]
    let second: ClosedRange<UInt8>
    let length: Int
    switch lead {
    case 0xc2...0xdf: (length, second) = (2, 0x80...0xbf)
    case 0xe0: (length, second) = (3, 0xa0...0xbf)
    case 0xed: (length, second) = (3, 0x80...0x9f)
    case 0xe1...0xef: (length, second) = (3, 0x80...0xbf)
    case 0xf0: (length, second) = (4, 0x90...0xbf)
    case 0xf1...0xf3: (length, second) = (4, 0x80...0xbf)
    case 0xf4: (length, second) = (4, 0x80...0x8f)
    default: throw failure(.invalidUTF8, "\(found()) is no UTF-8", cure: cure)
    }
    let isWhole =
      position + length <= bytes.count && second.contains(bytes[position + 1])
      && bytes[(position + 2)..<(position + length)].allSatisfy { $0 & 0xc0 == 0x80 }
    guard isWhole else { throw failure(.invalidUTF8, "\(found()) starts no whole UTF-8 character", cure: cure) }
    position += length
  }

  /// Leaves the position behind the escape, or throws with the place of its backslash.
  private mutating func escape() throws(JSONSyntaxError) {
    guard position + 1 < bytes.count else {
      position = bytes.count
      throw ended("inside a string")
    }
    guard bytes[position + 1] == UInt8(ascii: "u") else {
      guard JSONEscapes.byte(for: bytes[position + 1]) != nil else {
        throw failure(
          .invalidEscape, "the escape is unknown to JSON", cure: "write \\\\ for a backslash, or remove it")
      }
      position += 2
      return
    }
    let first = try unit(at: position)
    guard UTF16.isSurrogate(first) else {
      position += 6
      return
    }
    // A surrogate: only a high one, directly followed by an escaped low one, means a character.
    let low = position + 6
    guard UTF16.isLeadSurrogate(first), low + 1 < bytes.count, bytes[low] == UInt8(ascii: "\\"),
      bytes[low + 1] == UInt8(ascii: "u"), UTF16.isTrailSurrogate(try unit(at: low))
    else {
      throw failure(.invalidEscape, "the escape is half a surrogate pair", cure: "write both halves, or the character")
    }
    position += 12
  }

  private func unit(at escape: Int) throws(JSONSyntaxError) -> UInt16 {
    guard let unit = JSONEscapes.unit(in: bytes, at: escape + 2) else {
      throw failure(
        .invalidEscape, "\\u is not followed by four hexadecimal digits", at: escape, cure: "write four of them")
    }
    return unit
  }

  mutating func number() throws(JSONSyntaxError) {
    let start = position
    if bytes[position] == 0x2d { position += 1 }
    let firstDigit = position
    try digits()
    if bytes[firstDigit] == 0x30, position > firstDigit + 1 {
      throw failure(
        .invalidNumber, "a number starts with zeros", at: firstDigit + 1, cure: "remove the leading zeros")
    }
    if position < bytes.count, bytes[position] == 0x2e {
      position += 1
      try digits()
    }
    if position < bytes.count, bytes[position] | 0x20 == 0x65 {
      position += 1
      if position < bytes.count, bytes[position] == 0x2b || bytes[position] == 0x2d { position += 1 }
      try digits()
    }
    if rules.numbers != .any { try check(start..<position) }
    append(.number, from: start)
  }

  private mutating func digits() throws(JSONSyntaxError) {
    let start = position
    while position < bytes.count, bytes[position] >= 0x30, bytes[position] <= 0x39 { position += 1 }
    guard position > start else { throw unexpected("a digit", code: .invalidNumber) }
  }

  private func check(_ numeral: Range<Int>) throws(JSONSyntaxError) {
    let number = Double(String(decoding: bytes[numeral], as: UTF8.self))
    guard let number, rules.numbers.admits(number) else {
      throw failure(
        .numberOutOfRange, "the number is too large to be kept exactly", at: numeral.lowerBound,
        cure: rules.numbers == .exact
          ? "write one between -(2^53 - 1) and 2^53 - 1" : "write one that fits a 64-bit float")
    }
  }
}
