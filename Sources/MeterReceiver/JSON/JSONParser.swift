/// Where and why a text is not the JSON (RFC 8259) that the receiver reads.
struct JSONSyntaxError: Error, Equatable {
  /// Offset of the offending byte from the start of the text.
  var offset: Int
  var reason: String
}

/// A strict parser with a bound on nesting, because recursion on hostile input would otherwise end in a stack overflow.
struct JSONParser {
  /// A measurement nests 4 deep (array, record, metrics, metric); the rest is room for unknown keys.
  static let defaultDepthLimit = 32

  private let bytes: [UInt8]
  private let depthLimit: Int
  private var position = 0

  private init(bytes: [UInt8], depthLimit: Int) {
    self.bytes = bytes
    self.depthLimit = depthLimit
  }

  /// Parses one complete JSON text.
  ///
  /// - Throws: `JSONSyntaxError` with the byte offset of the first offence; nesting deeper than `depthLimit` is one.
  static func parse(
    _ bytes: [UInt8], depthLimit: Int = defaultDepthLimit
  ) throws(JSONSyntaxError) -> JSONValue {
    var parser = JSONParser(bytes: bytes, depthLimit: depthLimit)
    parser.skipWhitespace()
    let value = try parser.value(depth: 1)
    parser.skipWhitespace()
    guard parser.position == bytes.count else { throw parser.error("unexpected text after the end of the JSON value") }
    return value
  }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private func error(_ reason: String) -> JSONSyntaxError { JSONSyntaxError(offset: position, reason: reason) }

  private mutating func skipWhitespace() {
    while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
  }

  private mutating func value(depth: Int) throws(JSONSyntaxError) -> JSONValue {
    guard let byte = current else { throw error("the text ends where a value should be") }
    switch byte {
    case UInt8(ascii: "{"): return .object(try object(depth: depth))
    case UInt8(ascii: "["): return .array(try array(depth: depth))
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
    default: throw error("not the start of a JSON value")
    }
  }

  private mutating func literal(_ text: StaticString, _ value: JSONValue) throws(JSONSyntaxError) -> JSONValue {
    let expected = Array(text.description.utf8)
    guard bytes[position...].starts(with: expected) else { throw error("not the start of a JSON value") }
    position += expected.count
    return value
  }

  private mutating func enter(depth: Int) throws(JSONSyntaxError) {
    guard depth <= depthLimit else { throw error("nested deeper than \(depthLimit) levels") }
    position += 1
    skipWhitespace()
  }

  private mutating func consume(_ byte: UInt8) -> Bool {
    guard current == byte else { return false }
    position += 1
    skipWhitespace()
    return true
  }

  private mutating func object(depth: Int) throws(JSONSyntaxError) -> JSONObject {
    try enter(depth: depth)
    var result = JSONObject()
    // The closing bracket must not skip the space behind it: the caller does, and the offsets of errors stay exact.
    if current == UInt8(ascii: "}") {
      position += 1
      return result
    }
    while true {
      guard current == UInt8(ascii: "\"") else { throw error("a member name in quotes should be here") }
      let name = try string()
      skipWhitespace()
      guard consume(UInt8(ascii: ":")) else { throw error("a colon should be here") }
      result.members.append(.init(name: name, value: try value(depth: depth + 1)))
      skipWhitespace()
      if consume(UInt8(ascii: ",")) { continue }
      guard current == UInt8(ascii: "}") else { throw error("a comma or } should be here") }
      position += 1
      return result
    }
  }

  private mutating func array(depth: Int) throws(JSONSyntaxError) -> [JSONValue] {
    try enter(depth: depth)
    var result: [JSONValue] = []
    if current == UInt8(ascii: "]") {
      position += 1
      return result
    }
    while true {
      result.append(try value(depth: depth + 1))
      skipWhitespace()
      if consume(UInt8(ascii: ",")) { continue }
      guard current == UInt8(ascii: "]") else { throw error("a comma or ] should be here") }
      position += 1
      return result
    }
  }

  private mutating func digits() throws(JSONSyntaxError) {
    guard let first = current, first.isDigit else { throw error("a digit should be here") }
    while let byte = current, byte.isDigit { position += 1 }
  }

  private mutating func number() throws(JSONSyntaxError) -> Double {
    let start = position
    if current == UInt8(ascii: "-") { position += 1 }
    if current == UInt8(ascii: "0") {
      position += 1
      if let byte = current, byte.isDigit { throw error("a number must not start with 0") }
    } else {
      try digits()
    }
    if current == UInt8(ascii: ".") {
      position += 1
      try digits()
    }
    if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
      position += 1
      if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
      try digits()
    }
    guard let value = Double(String(decoding: bytes[start..<position], as: UTF8.self)) else {
      throw JSONSyntaxError(offset: start, reason: "not a number")
    }
    return value
  }

  private mutating func string() throws(JSONSyntaxError) -> String {
    let start = position
    position += 1
    var text: [UInt8] = []
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        guard let string = String(validating: text, as: UTF8.self) else {
          throw JSONSyntaxError(offset: start, reason: "the string is not UTF-8")
        }
        return string
      case UInt8(ascii: "\\"):
        position += 1
        text.append(contentsOf: String(try escape()).utf8)
      case 0..<0x20:
        throw error("a control character in a string must be escaped")
      default:
        text.append(byte)
        position += 1
      }
    }
    throw error("the text ends inside a string")
  }

  private mutating func escape() throws(JSONSyntaxError) -> Unicode.Scalar {
    guard let byte = current else { throw error("the text ends inside a string") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try unicodeEscape()
    default: throw error("unknown escape in a string")
    }
  }

  private mutating func unicodeEscape() throws(JSONSyntaxError) -> Unicode.Scalar {
    let first = try hexadecimal()
    if let scalar = Unicode.Scalar(first) { return scalar }
    // A surrogate: only a high one, directly followed by an escaped low one, means a character (RFC 8259 section 7).
    guard first < 0xDC00, current == UInt8(ascii: "\\") else { throw error("half of a surrogate pair in a string") }
    position += 1
    guard current == UInt8(ascii: "u") else { throw error("half of a surrogate pair in a string") }
    position += 1
    let second = try hexadecimal()
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
    else { throw error("half of a surrogate pair in a string") }
    return scalar
  }

  private mutating func hexadecimal() throws(JSONSyntaxError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = current, let digit = byte.hexadecimalValue else {
        throw error("four hexadecimal digits should be here")
      }
      value = value << 4 | UInt32(digit)
      position += 1
    }
    return value
  }
}

extension UInt8 {
  /// Whether the byte is an ASCII digit.
  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  /// The value of an ASCII hexadecimal digit of either case.
  var hexadecimalValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
