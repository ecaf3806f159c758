/// Turns bytes into nodes, one pass, without making a string.
struct JSONParser {
  let bytes: [UInt8]
  let rules: JSONRules
  var position = 0
  private var nodes: [JSONNode] = []

  init(_ bytes: [UInt8], _ rules: JSONRules) {
    self.bytes = bytes
    self.rules = rules
  }

  mutating func parse() throws(JSONSyntaxError) -> [JSONNode] {
    guard bytes.count <= rules.size else {
      throw failure(
        .tooLarge, "the text has \(bytes.count) bytes", at: 0, cure: "keep it at \(rules.size) bytes or fewer")
    }
    nodes.reserveCapacity(bytes.count / 16 + 8)
    try value(depth: 0)
    skipSpace()
    guard position == bytes.count else {
      throw failure(
        .trailingText, "there is more text after the end of the value",
        cure: "remove it, or check the brackets before it")
    }
    return nodes
  }

  // MARK: - Failures

  func failure(
    _ code: JSONSyntaxError.Code, _ problem: String, at offset: Int? = nil, cure: String = "correct the JSON here"
  ) -> JSONSyntaxError {
    let offset = offset ?? position
    return JSONSyntaxError(
      code: code, offset: offset, position: TextPosition(offset: offset, in: bytes), problem: problem, cure: cure)
  }

  func ended(_ place: String) -> JSONSyntaxError {
    failure(.unexpectedEnd, "the text ends \(place)", cure: "complete the JSON: its end is missing")
  }

  /// Something else stands where `wanted` should, or nothing.
  func unexpected(_ wanted: String, code: JSONSyntaxError.Code = .unexpectedText) -> JSONSyntaxError {
    failure(position < bytes.count ? code : .unexpectedEnd, "\(wanted) is expected, not \(found())")
  }

  func found() -> String {
    guard position < bytes.count else { return "the end of the text" }
    let byte = bytes[position]
    return (0x21...0x7e).contains(byte) ? "'\(Character(Unicode.Scalar(byte)))'" : "byte 0x" + String(byte, radix: 16)
  }

  // MARK: - Values

  /// Inlined, because in most places there is none: what the text has most of is strings and separators.
  @inline(__always) private mutating func skipSpace() {
    if position < bytes.count, bytes[position] <= 0x20 { skipSpaces() }
  }

  private mutating func skipSpaces() {
    var index = position
    // People indent with spaces, and far: eight at a time.
    while let word = word(at: index) {
      let others = word ^ 0x2020_2020_2020_2020
      index += others.trailingZeroBitCount / 8
      // A line feed is followed by the next line's indent.
      if index < bytes.count, bytes[index] == 0x0a { index += 1 } else if others != 0 { break }
    }
    while index < bytes.count {
      let byte = bytes[index]
      guard byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 else { break }
      index += 1
    }
    position = index
  }

  /// Eight bytes as one number, the first one lowest; nil where fewer are left.
  @inline(__always) func word(at index: Int) -> UInt64? {
    guard index + 8 <= bytes.count else { return nil }
    return bytes.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: index, as: UInt64.self)) }
  }

  private mutating func value(depth: Int) throws(JSONSyntaxError) {
    skipSpace()
    guard position < bytes.count else { throw ended("where a value is expected") }
    switch bytes[position] {
    case 0x7b: try object(depth: depth)
    case 0x5b: try array(depth: depth)
    case 0x22: _ = try string(as: .string)
    case 0x2d, 0x30...0x39: try number()
    case 0x74: try word("true", .true)
    case 0x66: try word("false", .false)
    case 0x6e: try word("null", .null)
    default: throw unexpected("a value")
    }
  }

  private mutating func word(_ text: StaticString, _ kind: JSONKind) throws(JSONSyntaxError) {
    let start = position
    let isHere = text.withUTF8Buffer { word in
      position + word.count <= bytes.count && zip(bytes[position...], word).allSatisfy { $0 == $1 }
    }
    guard isHere else {
      throw failure(.unexpectedText, "a value is expected: only true, false and null stand without quotes")
    }
    position += text.utf8CodeUnitCount
    append(kind, from: start)
  }

  mutating func append(_ kind: JSONKind, from start: Int, form: JSONNode.Form = .plain) {
    nodes.append(
      JSONNode(
        start: UInt32(start), length: UInt32(position - start), end: UInt32(nodes.count + 1), kind: kind, form: form))
  }

  // MARK: - Containers

  private mutating func open(_ kind: JSONKind, depth: Int) throws(JSONSyntaxError) -> Int {
    guard depth < rules.depth else {
      throw failure(.tooDeep, "nested deeper than \(rules.depth) levels", cure: "flatten it: nothing here needs that")
    }
    nodes.append(JSONNode(start: UInt32(position), length: 0, end: 0, kind: kind, form: .plain))
    position += 1
    skipSpace()
    return nodes.count - 1
  }

  private mutating func object(depth: Int) throws(JSONSyntaxError) {
    let start = try open(.object, depth: depth)
    var count: UInt32 = 0
    var hasEscapedKeys = false
    if position < bytes.count, bytes[position] == 0x7d {
      position += 1
    } else {
      while true {
        skipSpace()
        guard position < bytes.count, bytes[position] == 0x22 else { throw unexpected("a key in double quotes") }
        if try string(as: .key) == .escaped { hasEscapedKeys = true }
        skipSpace()
        guard position < bytes.count, bytes[position] == 0x3a else { throw unexpected("a colon after the key") }
        position += 1
        try value(depth: depth + 1)
        count += 1
        if try closes(with: 0x7d, "}") { break }
      }
    }
    nodes[start].length = count
    nodes[start].end = UInt32(nodes.count)
    guard count > 1, !rules.allowsDuplicateKeys else { return }
    if hasEscapedKeys {
      try refuseDuplicates(in: start) { JSONEscapes.resolved($0, of: $1)[...] }
    } else if count > 64 {
      try refuseDuplicates(in: start) { $1[$0] }
    } else {
      try refuseDuplicatesOfFew(in: start)
    }
  }

  private mutating func array(depth: Int) throws(JSONSyntaxError) {
    let start = try open(.array, depth: depth)
    var count: UInt32 = 0
    if position < bytes.count, bytes[position] == 0x5d {
      position += 1
    } else {
      while true {
        try value(depth: depth + 1)
        count += 1
        if try closes(with: 0x5d, "]") { break }
      }
    }
    nodes[start].length = count
    nodes[start].end = UInt32(nodes.count)
  }

  private mutating func closes(with bracket: UInt8, _ name: String) throws(JSONSyntaxError) -> Bool {
    skipSpace()
    guard position < bytes.count else { throw ended("before the closing \(name)") }
    let byte = bytes[position]
    guard byte == bracket || byte == 0x2c else { throw unexpected("',' or '\(name)'") }
    position += 1
    return byte == bracket
  }

  // MARK: - Duplicate keys

  /// Compares keys with those before them: for the objects that people write, faster than a set.
  private func refuseDuplicatesOfFew(in object: Int) throws(JSONSyntaxError) {
    // One of 64 bits for a key, by its length and two bytes: of most keys no earlier one can be the same.
    var seen: UInt64 = 0
    var key = object + 1
    while key < Int(nodes[object].end) {
      let mark = mark(of: nodes[key])
      if seen & mark != 0 { try refuseDuplicate(of: key, in: object) }
      seen |= mark
      key = Int(nodes[key + 1].end)
    }
  }

  private func mark(of key: JSONNode) -> UInt64 {
    guard key.length > 0 else { return 1 }
    let (first, last) = (bytes[key.range.lowerBound], bytes[key.range.upperBound - 1])
    return 1 << (UInt64(key.length &* 11 &+ UInt32(first) &* 7 &+ UInt32(last)) & 63)
  }

  private func refuseDuplicate(of key: Int, in object: Int) throws(JSONSyntaxError) {
    var earlier = object + 1
    while earlier < key {
      if nodes[earlier].length == nodes[key].length, sameBytes(nodes[earlier], nodes[key]) { throw duplicate(key) }
      earlier = Int(nodes[earlier + 1].end)
    }
  }

  private func refuseDuplicates(
    in object: Int, content: (Range<Int>, [UInt8]) -> ArraySlice<UInt8>
  ) throws(JSONSyntaxError) {
    var seen: Set<KeyContent> = []
    var key = object + 1
    while key < Int(nodes[object].end) {
      guard seen.insert(KeyContent(bytes: content(nodes[key].range, bytes))).inserted else { throw duplicate(key) }
      key = Int(nodes[key + 1].end)
    }
  }

  private func sameBytes(_ one: JSONNode, _ other: JSONNode) -> Bool {
    for offset in 0..<Int(one.length) where bytes[Int(one.start) + offset] != bytes[Int(other.start) + offset] {
      return false
    }
    return true
  }

  private func duplicate(_ key: Int) -> JSONSyntaxError {
    let range = nodes[key].range
    let name = shown(String(decoding: JSONEscapes.resolved(range, of: bytes), as: UTF8.self))
    return failure(
      .duplicateKey, "the key \"\(name)\" stands twice in one object", at: range.lowerBound - 1,
      cure: "remove one of them")
  }
}

/// The bytes of a key, hashed as a whole: an array would feed the hasher byte by byte.
private struct KeyContent: Hashable {
  let bytes: ArraySlice<UInt8>

  func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}
