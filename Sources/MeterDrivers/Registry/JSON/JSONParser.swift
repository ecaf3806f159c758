/// Bounds that no honest registry meets.
enum JSONLimits {
  /// Bytes of one file.
  static let fileSize = 16 << 20
  /// Containers inside each other.
  static let depth = 24
}

/// What is wrong with the text, and where.
struct JSONSyntaxError: Error {
  let offset: Int
  let problem: String
  let cure: String
}

/// Turns bytes into nodes, one pass, without making a string.
struct JSONParser {
  private let bytes: [UInt8]
  private var position = 0
  private var nodes: [JSONNode] = []

  static let simpleEscapes: [UInt8: UInt8] = [
    0x22: 0x22, 0x5c: 0x5c, 0x2f: 0x2f, 0x62: 0x08, 0x66: 0x0c, 0x6e: 0x0a, 0x72: 0x0d, 0x74: 0x09,
  ]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  mutating func parse() throws(JSONSyntaxError) -> [JSONNode] {
    guard bytes.count <= JSONLimits.fileSize else {
      throw JSONSyntaxError(
        offset: 0, problem: "the file has \(bytes.count) bytes", cure: "keep it below \(JSONLimits.fileSize) bytes")
    }
    nodes.reserveCapacity(bytes.count / 16 + 8)
    try value(depth: 0)
    skipSpace()
    guard position == bytes.count else {
      throw failure("there is more text after the end of the value", cure: "remove it, or check the brackets before it")
    }
    return nodes
  }

  private func failure(_ problem: String, cure: String = "correct the JSON here") -> JSONSyntaxError {
    JSONSyntaxError(offset: position, problem: problem, cure: cure)
  }

  private func found() -> String {
    guard position < bytes.count else { return "the end of the file" }
    let byte = bytes[position]
    return (0x21...0x7e).contains(byte) ? "'\(Character(Unicode.Scalar(byte)))'" : "byte 0x" + String(byte, radix: 16)
  }

  private mutating func skipSpace() {
    while position < bytes.count {
      let byte = bytes[position]
      guard byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 else { return }
      position += 1
    }
  }

  private mutating func value(depth: Int) throws(JSONSyntaxError) {
    skipSpace()
    guard position < bytes.count else { throw failure("the file ends where a value is expected") }
    switch bytes[position] {
    case 0x7b: try object(depth: depth)
    case 0x5b: try array(depth: depth)
    case 0x22: try string(as: .string)
    case 0x2d, 0x30...0x39: try number()
    case 0x74: try word("true", .true)
    case 0x66: try word("false", .false)
    case 0x6e: try word("null", .null)
    default: throw failure("a value is expected, not \(found())")
    }
  }

  private mutating func open(_ kind: JSONKind, depth: Int) throws(JSONSyntaxError) -> Int {
    guard depth < JSONLimits.depth else {
      throw failure(
        "more than \(JSONLimits.depth) brackets are open", cure: "a registry is never that deep: flatten it")
    }
    nodes.append(JSONNode(start: UInt32(position), length: 0, end: 0, kind: kind, isPlain: true))
    position += 1
    skipSpace()
    return nodes.count - 1
  }

  private mutating func object(depth: Int) throws(JSONSyntaxError) {
    let start = try open(.object, depth: depth)
    var count: UInt32 = 0
    if position < bytes.count, bytes[position] == 0x7d {
      position += 1
    } else {
      while true {
        skipSpace()
        guard position < bytes.count, bytes[position] == 0x22 else {
          throw failure("a key in double quotes is expected, not \(found())")
        }
        try string(as: .key)
        skipSpace()
        guard position < bytes.count, bytes[position] == 0x3a else {
          throw failure("a colon is expected after the key, not \(found())")
        }
        position += 1
        try value(depth: depth + 1)
        count += 1
        if try closes(with: 0x7d, "}") { break }
      }
    }
    nodes[start].length = count
    nodes[start].end = UInt32(nodes.count)
    try refuseDuplicates(in: start)
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
    guard position < bytes.count else { throw failure("the file ends before the closing \(name)") }
    let byte = bytes[position]
    guard byte == bracket || byte == 0x2c else { throw failure("',' or '\(name)' is expected, not \(found())") }
    position += 1
    return byte == bracket
  }

  private mutating func refuseDuplicates(in object: Int) throws(JSONSyntaxError) {
    guard nodes[object].length > 1 else { return }
    if nodes[object].length > 64 { return try refuseDuplicatesOfMany(in: object) }
    var key = object + 1
    while key < Int(nodes[object].end) {
      var earlier = object + 1
      while earlier < key {
        if nodes[earlier].length == nodes[key].length, sameBytes(nodes[earlier], nodes[key]) { throw duplicate(key) }
        earlier = Int(nodes[earlier + 1].end)
      }
      key = Int(nodes[key + 1].end)
    }
  }

  private func refuseDuplicatesOfMany(in object: Int) throws(JSONSyntaxError) {
    var seen: Set<ArraySlice<UInt8>> = []
    var key = object + 1
    while key < Int(nodes[object].end) {
      let node = nodes[key]
      guard seen.insert(bytes[Int(node.start)..<Int(node.start + node.length)]).inserted else { throw duplicate(key) }
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
    let node = nodes[key]
    let name = shown(String(decoding: bytes[Int(node.start)..<Int(node.start + node.length)], as: UTF8.self))
    return JSONSyntaxError(
      offset: Int(node.start) - 1, problem: "the key \"\(name)\" stands twice in one object", cure: "remove one of them"
    )
  }

  private mutating func word(_ text: StaticString, _ kind: JSONKind) throws(JSONSyntaxError) {
    let start = position
    let isHere = text.withUTF8Buffer { word in
      position + word.count <= bytes.count && zip(bytes[position...], word).allSatisfy { $0 == $1 }
    }
    guard isHere else { throw failure("a value is expected: only true, false and null stand without quotes") }
    position += text.utf8CodeUnitCount
    append(kind, from: start)
  }

  private mutating func append(_ kind: JSONKind, from start: Int, isPlain: Bool = true) {
    nodes.append(
      JSONNode(
        start: UInt32(start), length: UInt32(position - start), end: UInt32(nodes.count + 1), kind: kind,
        isPlain: isPlain))
  }
}

// MARK: - Strings and numbers

extension JSONParser {
  private mutating func string(as kind: JSONKind) throws(JSONSyntaxError) {
    position += 1
    let start = position
    var isPlain = true
    while true {
      guard position < bytes.count else { throw failure("the file ends inside a string") }
      let byte = bytes[position]
      if byte == 0x22 { break }
      if byte >= 0x20, byte < 0x80, byte != 0x5c {
        position += 1
      } else if byte >= 0x80 {
        isPlain = false
        try character()
      } else if byte == 0x5c {
        guard kind == .string else {
          throw failure("a key has an escape", cure: "write the key's characters as they are")
        }
        isPlain = false
        try escape()
      } else {
        throw failure("a string has the raw control character \(found())", cure: "write it as an escape, or remove it")
      }
    }
    append(kind, from: start, isPlain: isPlain)
    position += 1
  }

  /// One character of two to four bytes: no overlong form, no surrogate, nothing above U+10FFFF (RFC 3629).
  private mutating func character() throws(JSONSyntaxError) {
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
    default: throw failure("\(found()) is no UTF-8", cure: "save the file as UTF-8")
    }
    let isWhole =
      position + length <= bytes.count && second.contains(bytes[position + 1])
      && bytes[(position + 2)..<(position + length)].allSatisfy { $0 & 0xc0 == 0x80 }
    guard isWhole else { throw failure("\(found()) starts no whole UTF-8 character", cure: "save the file as UTF-8") }
    position += length
  }

  private mutating func escape() throws(JSONSyntaxError) {
    guard position + 1 < bytes.count else { throw failure("the file ends inside a string") }
    guard bytes[position + 1] == 0x75 else {
      guard Self.simpleEscapes[bytes[position + 1]] != nil else { throw failure("the escape is unknown to JSON") }
      position += 2
      return
    }
    let first = try unit()
    if (0xdc00...0xdfff).contains(first) { throw failure("the escape is half a surrogate pair") }
    guard (0xd800...0xdbff).contains(first) else { return }
    guard position + 1 < bytes.count, bytes[position] == 0x5c, bytes[position + 1] == 0x75,
      (0xdc00...0xdfff).contains(try unit())
    else { throw failure("the escape is half a surrogate pair") }
  }

  private mutating func unit() throws(JSONSyntaxError) -> UInt16 {
    guard position + 6 <= bytes.count else { throw failure("the file ends inside a string") }
    var value: UInt16 = 0
    for index in (position + 2)..<(position + 6) {
      guard let digit = Self.hexDigit(bytes[index]) else { throw failure("\\u is followed by four hex digits") }
      value = value << 4 | UInt16(digit)
    }
    position += 6
    return value
  }

  static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }

  private mutating func number() throws(JSONSyntaxError) {
    let start = position
    if bytes[position] == 0x2d { position += 1 }
    let firstDigit = position
    try digits()
    if bytes[firstDigit] == 0x30, position > firstDigit + 1 {
      throw failure("a number starts with zeros", cure: "remove the leading zeros")
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
    append(.number, from: start)
  }

  private mutating func digits() throws(JSONSyntaxError) {
    let start = position
    while position < bytes.count, (0x30...0x39).contains(bytes[position]) { position += 1 }
    guard position > start else { throw failure("a digit is expected, not \(found())") }
  }
}
