internal import HostPrimitives

/// Writes a JSON text (RFC 8259) member by member; an element of an array is a member without a name.
///
/// Numbers are written as they are given: Foundation's encoder writes them through Double, which would make 6.20 into
/// 6.2000000000000002.
///
/// ```swift
/// var json = JSONWriter()
/// json.object { $0.member("value", literal: "6.20") }
/// ```
package struct JSONWriter {
  package enum Layout: Sendable {
    /// Without white space.
    case compact
    /// A line for each member, two spaces a level.
    case indented
  }

  /// Which characters of a string are escaped.
  package enum Escapes: Sendable {
    /// Those that JSON demands, control characters by their numbers.
    case least
    /// As Foundation's `JSONEncoder` does it: with letters where there are some, and slashes.
    case foundation
  }

  /// The text in UTF-8.
  package private(set) var bytes: [UInt8] = []
  private let layout: Layout
  private let escapes: Escapes
  private var depth = 0
  private var needsComma = false

  package init(_ layout: Layout = .compact, escapes: Escapes = .least, capacity: Int = 0) {
    (self.layout, self.escapes) = (layout, escapes)
    bytes.reserveCapacity(capacity)
  }

  package var text: String { String(decoding: bytes, as: UTF8.self) }

  package mutating func object(_ name: String? = nil, _ body: (inout JSONWriter) -> Void) {
    nest(name, UInt8(ascii: "{"), UInt8(ascii: "}"), body)
  }

  package mutating func array(_ name: String? = nil, _ body: (inout JSONWriter) -> Void) {
    nest(name, UInt8(ascii: "["), UInt8(ascii: "]"), body)
  }

  package mutating func member(_ name: String?, _ text: String) {
    begin(name)
    append(text)
  }

  package mutating func member(_ name: String?, integer: Int64) {
    begin(name)
    if integer < 0 { bytes.append(UInt8(ascii: "-")) }
    append(integer.magnitude)
  }

  package mutating func member(_ name: String?, unsigned: UInt64) {
    begin(name)
    append(unsigned)
  }

  package mutating func member(_ name: String?, flag: Bool) { member(name, literal: flag ? "true" : "false") }

  package mutating func null(_ name: String?) { member(name, literal: "null") }

  /// - Parameter literal: A number as it is to stand in the text.
  package mutating func member(_ name: String?, literal: String) {
    begin(name)
    bytes += literal.utf8
  }

  private mutating func nest(_ name: String?, _ open: UInt8, _ close: UInt8, _ body: (inout JSONWriter) -> Void) {
    begin(name)
    bytes.append(open)
    needsComma = false
    depth += 1
    body(&self)
    depth -= 1
    if needsComma { breakLine() }
    bytes.append(close)
    needsComma = true
  }

  private mutating func begin(_ name: String?) {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
    if depth > 0 { breakLine() }
    guard let name else { return }
    append(name)
    bytes.append(UInt8(ascii: ":"))
    if layout == .indented { bytes.append(UInt8(ascii: " ")) }
  }

  private mutating func breakLine() {
    guard layout == .indented else { return }
    bytes.append(UInt8(ascii: "\n"))
    bytes += repeatElement(UInt8(ascii: " "), count: 2 * depth)
  }

  private mutating func append(_ number: UInt64) {
    var divisor: UInt64 = 1
    while number / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
      divisor /= 10
    }
  }

  private mutating func append(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    let escapes = escapes
    text.withUTF8 { utf8 in
      if utf8.contains(where: { Self.isEscaped($0, escapes) }) {
        for byte in utf8 { if Self.isEscaped(byte, escapes) { appendEscaped(byte) } else { bytes.append(byte) } }
      } else {
        bytes += utf8
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func isEscaped(_ byte: UInt8, _ escapes: Escapes) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
      || escapes == .foundation && byte == UInt8(ascii: "/")
  }

  private mutating func appendEscaped(_ byte: UInt8) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x20...: bytes.append(byte)
    case 0x08 where escapes == .foundation: bytes.append(UInt8(ascii: "b"))
    case 0x09 where escapes == .foundation: bytes.append(UInt8(ascii: "t"))
    case 0x0A where escapes == .foundation: bytes.append(UInt8(ascii: "n"))
    case 0x0C where escapes == .foundation: bytes.append(UInt8(ascii: "f"))
    case 0x0D where escapes == .foundation: bytes.append(UInt8(ascii: "r"))
    default:
      bytes += "u00".utf8
      bytes.append(Hexadecimal.digit(of: byte >> 4))
      bytes.append(Hexadecimal.digit(of: byte))
    }
  }
}
