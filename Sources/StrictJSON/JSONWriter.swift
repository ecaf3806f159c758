internal import HostPrimitives

/// Writes a JSON text (RFC 8259) member by member; an element of an array is a member without a name.
///
/// Numbers are written as they are given: Foundation's encoder writes them through Double, which would make 6.20 into
/// 6.2000000000000002. What writes is inlined into other modules: the store writes each record's text within its commit.
///
/// ```swift
/// var json = JSONWriter()
/// json.object { $0.member("value", literal: "6.20") }
/// ```
@usableFromInline
package struct JSONWriter {
  @usableFromInline
  package enum Layout: Sendable {
    /// Without white space.
    case compact
    /// A line for each member, two spaces a level.
    case indented
  }

  /// Which characters of a string are escaped.
  @usableFromInline
  package enum Escapes: Sendable {
    /// Those that JSON demands, control characters by their numbers.
    case least
    /// As Foundation's `JSONEncoder` does it: with letters where there are some, and slashes.
    case foundation
  }

  /// The text in UTF-8.
  package var bytes: [UInt8] { written }
  @usableFromInline var written: [UInt8] = []
  @usableFromInline let layout: Layout
  @usableFromInline let escapes: Escapes
  @usableFromInline var depth = 0
  @usableFromInline var needsComma = false

  package init(_ layout: Layout = .compact, escapes: Escapes = .least, capacity: Int = 0) {
    (self.layout, self.escapes) = (layout, escapes)
    written.reserveCapacity(capacity)
  }

  package var text: String { String(decoding: written, as: UTF8.self) }

  @inlinable
  package mutating func object(_ name: String? = nil, _ body: (inout JSONWriter) -> Void) {
    nest(name, UInt8(ascii: "{"), UInt8(ascii: "}"), body)
  }

  @inlinable
  package mutating func array(_ name: String? = nil, _ body: (inout JSONWriter) -> Void) {
    nest(name, UInt8(ascii: "["), UInt8(ascii: "]"), body)
  }

  @inlinable
  package mutating func member(_ name: String?, _ text: String) {
    begin(name)
    append(text)
  }

  @inlinable
  package mutating func member(_ name: String?, integer: Int64) {
    begin(name)
    if integer < 0 { written.append(UInt8(ascii: "-")) }
    append(integer.magnitude)
  }

  @inlinable
  package mutating func member(_ name: String?, unsigned: UInt64) {
    begin(name)
    append(unsigned)
  }

  @inlinable
  package mutating func member(_ name: String?, flag: Bool) { member(name, literal: flag ? "true" : "false") }

  @inlinable
  package mutating func null(_ name: String?) { member(name, literal: "null") }

  /// - Parameter literal: A number as it is to stand in the text.
  @inlinable
  package mutating func member(_ name: String?, literal: String) {
    begin(name)
    written += literal.utf8
  }

  @inlinable
  mutating func nest(_ name: String?, _ open: UInt8, _ close: UInt8, _ body: (inout JSONWriter) -> Void) {
    begin(name)
    written.append(open)
    needsComma = false
    depth += 1
    body(&self)
    depth -= 1
    if needsComma { breakLine() }
    written.append(close)
    needsComma = true
  }

  @inlinable
  mutating func begin(_ name: String?) {
    if needsComma { written.append(UInt8(ascii: ",")) }
    needsComma = true
    if depth > 0 { breakLine() }
    guard let name else { return }
    append(name)
    written.append(UInt8(ascii: ":"))
    if layout == .indented { written.append(UInt8(ascii: " ")) }
  }

  @inlinable
  mutating func breakLine() {
    guard layout == .indented else { return }
    written.append(UInt8(ascii: "\n"))
    written += repeatElement(UInt8(ascii: " "), count: 2 * depth)
  }

  @inlinable
  mutating func append(_ number: UInt64) {
    var divisor: UInt64 = 1
    while number / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      written.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
      divisor /= 10
    }
  }

  @inlinable
  mutating func append(_ text: String) {
    written.append(UInt8(ascii: "\""))
    var text = text
    // The one byte that is escaped besides in one of the forms; the quote is in both.
    let other = escapes == .foundation ? UInt8(ascii: "/") : UInt8(ascii: "\"")
    text.withUTF8 { utf8 in
      if utf8.contains(where: { Self.isEscaped($0, other) }) {
        for byte in utf8 { if Self.isEscaped(byte, other) { appendEscaped(byte) } else { written.append(byte) } }
      } else {
        written += utf8
      }
    }
    written.append(UInt8(ascii: "\""))
  }

  @inlinable
  static func isEscaped(_ byte: UInt8, _ other: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == other
  }

  @usableFromInline
  mutating func appendEscaped(_ byte: UInt8) {
    written.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x20...: written.append(byte)
    case 0x08 where escapes == .foundation: written.append(UInt8(ascii: "b"))
    case 0x09 where escapes == .foundation: written.append(UInt8(ascii: "t"))
    case 0x0A where escapes == .foundation: written.append(UInt8(ascii: "n"))
    case 0x0C where escapes == .foundation: written.append(UInt8(ascii: "f"))
    case 0x0D where escapes == .foundation: written.append(UInt8(ascii: "r"))
    default:
      written += "u00".utf8
      written.append(Hexadecimal.digit(of: byte >> 4))
      written.append(Hexadecimal.digit(of: byte))
    }
  }
}
