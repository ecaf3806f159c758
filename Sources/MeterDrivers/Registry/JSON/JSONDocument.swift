// A JSON reader of our own, because a registry is hostile input that people write by hand: errors must name line and
// column, duplicate keys must be refused (JSONSerialization keeps one silently), and a thousand drivers may cost no more
// than a few milliseconds. It parses bytes once into a flat array of nodes and makes strings only when asked.

/// What a node is.
enum JSONKind: UInt8, Sendable {
  case object, array, key, string, number, `true`, `false`, null

  var name: String {
    switch self {
    case .object: "an object"
    case .array: "an array"
    case .key, .string: "a string"
    case .number: "a number"
    case .true, .false: "a boolean"
    case .null: "null"
    }
  }
}

/// One value or key; the nodes of a document stand in the order of the text, a container before its content.
struct JSONNode: Sendable {
  /// First byte of the value; of a string, the one after the quote.
  var start: UInt32
  /// Bytes of a string or number, members of an object, elements of an array.
  var length: UInt32
  /// Index of the first node that is not inside this one.
  var end: UInt32
  var kind: JSONKind
  /// A string with escapes or non-ASCII characters: those that need a second look.
  var isPlain: Bool
}

/// A parsed file: its bytes and its nodes.
final class JSONDocument: Sendable {
  let file: String
  let bytes: [UInt8]
  let nodes: [JSONNode]

  /// Parses strictly: RFC 8259, UTF-8 without BOM, no duplicate keys, no escapes in keys, `JSONLimits` deep.
  init(_ bytes: [UInt8], file: String) throws(RegistryError) {
    do throws(JSONSyntaxError) {
      var parser = JSONParser(bytes)
      nodes = try parser.parse()
    } catch {
      throw RegistryError(
        code: .invalidJSON, file: file, path: "$", position: RegistryPosition(offset: error.offset, in: bytes),
        problem: error.problem, cure: error.cure)
    }
    self.file = file
    self.bytes = bytes
  }

  var root: JSONValue { JSONValue(document: self, index: 0) }

  /// The bytes of a string as they stand in the file, or of a number.
  func raw(_ node: JSONNode) -> ArraySlice<UInt8> { bytes[Int(node.start)..<Int(node.start + node.length)] }

  /// A string with its escapes resolved; the parser has checked them.
  func string(_ node: JSONNode) -> String {
    let raw = raw(node)
    guard !node.isPlain, raw.contains(0x5c) else { return String(decoding: raw, as: UTF8.self) }
    var text = String.UnicodeScalarView()
    var units: [UInt16] = []
    var plain: [UInt8] = []
    var index = raw.startIndex
    func flush() {
      if !plain.isEmpty { text.append(contentsOf: String(decoding: plain, as: UTF8.self).unicodeScalars) }
      if !units.isEmpty { text.append(contentsOf: String(decoding: units, as: UTF16.self).unicodeScalars) }
      plain = []
      units = []
    }
    while index < raw.endIndex {
      guard raw[index] == 0x5c else {
        if !units.isEmpty { flush() }
        plain.append(raw[index])
        index += 1
        continue
      }
      let escape = raw[index + 1]
      index += 2
      if escape == 0x75 {
        if !plain.isEmpty { flush() }
        units.append(raw[index..<index + 4].reduce(0) { $0 << 4 | UInt16(JSONParser.hexDigit($1) ?? 0) })
        index += 4
      } else {
        if !units.isEmpty { flush() }
        plain.append(JSONParser.simpleEscapes[escape] ?? escape)
      }
    }
    flush()
    return String(text)
  }

  /// The value of a key and where the search for the next key should start; looks from `hint` to the end, then round.
  func member(_ key: String, of object: Int, from hint: Int) -> (value: Int, next: Int)? {
    let first = object + 1
    let end = Int(nodes[object].end)
    var index = hint < end ? hint : first
    var key = key
    return key.withUTF8 { key in
      for _ in 0..<nodes[object].length {
        let following = Int(nodes[index + 1].end)
        if Int(nodes[index].length) == key.count, stands(key, at: Int(nodes[index].start)) {
          return (index + 1, following)
        }
        index = following < end ? following : first
      }
      return nil
    }
  }

  private func stands(_ text: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
    for offset in 0..<text.count where bytes[start + offset] != text[offset] { return false }
    return true
  }

  /// The JSON path of a node, found by walking down from the root: errors are rare, paths need not be carried along.
  func path(of target: Int) -> String {
    var path = "$"
    var index = 0
    while index != target {
      let node = nodes[index]
      var child = index + 1
      var position = 0
      var next: Int?
      while child < Int(node.end) {
        let value = node.kind == .object ? child + 1 : child
        if target < Int(nodes[value].end) {
          path += node.kind == .object ? "." + shown(string(nodes[child]), limit: 40) : "[\(position)]"
          next = target == child ? target : value
          break
        }
        child = Int(nodes[value].end)
        position += 1
      }
      guard let next else { return path }
      index = next
    }
    return path
  }
}

extension RegistryPosition {
  /// The place of a byte in a text.
  init(offset: Int, in bytes: [UInt8]) {
    var line = 1
    var lineStart = 0
    for index in 0..<min(offset, bytes.count) where bytes[index] == 0x0a {
      line += 1
      lineStart = index + 1
    }
    self.init(line: line, column: offset - lineStart + 1)
  }
}

/// A text from outside made fit for a message: shortened, and nothing in it that a terminal would act on.
func shown(_ text: String, limit: Int = 60) -> String {
  var result = ""
  for (count, scalar) in text.unicodeScalars.enumerated() {
    if count == limit { return result + "..." }
    if isFitForPeople(scalar) {
      result.unicodeScalars.append(scalar)
    } else {
      result += "\\u{\(String(scalar.value, radix: 16))}"
    }
  }
  return result
}

/// False for control characters, line separators, invisible marks and everything that turns the direction of writing:
/// what a text shown to people may use to look like another one (Unicode Technical Report 36).
func isFitForPeople(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0...0x1f, 0x7f...0x9f, 0xad, 0x61c, 0x180e, 0x200b...0x200f, 0x2028...0x202e, 0x2060...0x206f, 0xfeff,
    0xfff9...0xfffd, 0xe0000...0xe0fff:
    false
  default:
    scalar.value & 0xfffe != 0xfffe && !(0xfdd0...0xfdef).contains(scalar.value)
  }
}
