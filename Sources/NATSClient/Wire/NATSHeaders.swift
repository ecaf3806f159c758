/// The header of a message: fields in their order, and what a server says of itself in its first line (`NATS/1.0 503`).
///
/// Names are compared as they are written: NATS knows no other rule. A name may stand several times.
package struct NATSHeaders: Sendable, Hashable {
  /// One field.
  package struct Field: Sendable, Hashable {
    /// Its name, without a colon or white space.
    package let name: String
    /// What it says, without white space at its ends.
    package let value: String
  }

  /// The fields in their order.
  package private(set) var fields: [Field] = []
  /// What a server says in place of a message, such as 503 (nobody listens), 404 (no messages) or 408 (no more in time).
  package private(set) var status: Int?
  /// The words behind the status, such as "No Messages".
  package private(set) var statusText = ""

  /// A header without fields.
  package init() {}

  /// A header of fields; those that no header can carry are left out, see ``set(_:_:)``.
  package init(_ fields: [(String, String)]) { for (name, value) in fields { add(name, value) } }

  /// Whether there is nothing in it.
  package var isEmpty: Bool { fields.isEmpty && status == nil }

  /// The first value of a name.
  package subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }

  /// Every value of a name.
  package func all(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

  /// Adds a field.
  ///
  /// - Returns: False, and nothing was added, where the name or the value would end the line or the header.
  @discardableResult
  package mutating func add(_ name: String, _ value: String) -> Bool {
    guard Self.isName(name.utf8), value.utf8.allSatisfy({ $0 != 0x0D && $0 != 0x0A }) else { return false }
    fields.append(Field(name: name, value: value))
    return true
  }

  /// Puts a field in the place of all of its name.
  ///
  /// - Returns: False, and nothing was changed, as ``add(_:_:)`` does.
  @discardableResult
  package mutating func set(_ name: String, _ value: String) -> Bool {
    let before = fields
    fields.removeAll { $0.name == name }
    if add(name, value) { return true }
    fields = before
    return false
  }

  // MARK: Bytes

  static let version = Array("NATS/1.0".utf8)

  /// The header as it travels, with the empty line at its end.
  package var bytes: [UInt8] {
    var bytes = Self.version
    if let status {
      bytes += " \(status)".utf8
      if !statusText.isEmpty { bytes += " \(statusText)".utf8 }
    }
    bytes += NATSLine.end
    for field in fields {
      bytes += field.name.utf8
      bytes += ": ".utf8
      bytes += field.value.utf8
      bytes += NATSLine.end
    }
    return bytes + NATSLine.end
  }

  /// The header that some bytes are; nil for anything else. Whoever may publish writes what they like: a server looks at none of it.
  package init?(_ bytes: some Collection<UInt8>) {
    guard let lines = Self.lines(Array(bytes)), let first = lines.first, first.starts(with: Self.version) else {
      return nil
    }
    guard let (status, text) = Self.status(first.dropFirst(Self.version.count)) else { return nil }
    (self.status, statusText) = (status, text)
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), Self.isName(line[..<colon]) else { return nil }
      fields.append(
        Field(
          name: String(decoding: line[..<colon], as: UTF8.self),
          value: String(decoding: Self.trimmed(line[line.index(after: colon)...]), as: UTF8.self)))
    }
  }

  /// The lines before the empty one; nil where that is missing, or anything stands behind it.
  private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>]? {
    var lines: [ArraySlice<UInt8>] = []
    var rest = bytes[...]
    while let end = NATSLine.end(in: rest, from: rest.startIndex) {
      let line = rest[..<end]
      rest = rest[(end + 2)...]
      if line.isEmpty { return rest.isEmpty ? lines : nil }
      // A lone one of the two would be a line to some readers.
      guard !line.contains(0x0D), !line.contains(0x0A) else { return nil }
      lines.append(line)
    }
    return nil
  }

  /// What stands behind the version: nothing, or a number of three digits and some words.
  private static func status(_ text: ArraySlice<UInt8>) -> (Int?, String)? {
    let words = trimmed(text)
    guard !words.isEmpty else { return (nil, "") }
    guard text.first == 0x20, let number = NATSLine.number(words.prefix(3)), number >= 100 else { return nil }
    let rest = words.dropFirst(3)
    guard rest.isEmpty || rest.first == 0x20 else { return nil }
    return (Int(number), String(decoding: trimmed(rest), as: UTF8.self))
  }

  private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var text = text.drop { $0 == 0x20 || $0 == 0x09 }
    while let last = text.last, last == 0x20 || last == 0x09 { text = text.dropLast() }
    return text
  }

  private static func isName(_ name: some Collection<UInt8>) -> Bool {
    !name.isEmpty && name.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ":") }
  }
}
