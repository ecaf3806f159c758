/// The fields of a form as a browser posts them (`application/x-www-form-urlencoded`, URL Standard section 5.1), or a query's.
struct FormFields: Sendable {
  /// So many fields a form has at most.
  static let most = 600

  private let pairs: [(name: String, value: String)]

  /// Reads them; nil for what is no UTF-8, and for more than ``most``.
  init?(_ bytes: some Collection<UInt8>) {
    let parts = bytes.split(separator: UInt8(ascii: "&"))
    guard parts.count <= Self.most else { return nil }
    var pairs: [(name: String, value: String)] = []
    for part in parts {
      let sides = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = Self.text(sides[sides.startIndex]), let value = sides.count == 2 ? Self.text(sides[1]) : ""
      else {
        return nil
      }
      pairs.append((name, value))
    }
    self.pairs = pairs
  }

  /// The value of a field that is there once; nil for one that is missing, or there twice.
  subscript(_ name: String) -> String? {
    let values = all(name)
    return values.count == 1 ? values[0] : nil
  }

  /// Every value of a field.
  func all(_ name: String) -> [String] { pairs.filter { $0.name == name }.map(\.value) }

  /// A field with the blanks around it left away; nil when nothing is left.
  func filled(_ name: String) -> String? {
    guard let value = self[name] else { return nil }
    let text = value.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return text.isEmpty ? nil : text
  }

  /// The fields whose names begin so, without that beginning.
  func beginning(_ prefix: String) -> [(name: String, value: String)] {
    pairs.filter { $0.name.hasPrefix(prefix) }.map { (String($0.name.dropFirst(prefix.count)), $0.value) }
  }

  /// Percent-encoded bytes as text; a plus is a blank.
  private static func text(_ bytes: some Collection<UInt8>) -> String? {
    var out: [UInt8] = []
    var rest = bytes[...]
    while let byte = rest.first {
      rest = rest.dropFirst()
      switch byte {
      case UInt8(ascii: "+"): out.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        let digits = rest.prefix(2).compactMap { Self.digit($0) }
        guard digits.count == 2 else { return nil }
        out.append(digits[0] << 4 | digits[1])
        rest = rest.dropFirst(2)
      default: out.append(byte)
      }
    }
    return String(validating: out, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
