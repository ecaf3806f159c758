import StrictJSON

/// Takes health values and names out of a server's words: servers quote what they refuse, and the words are kept, logged and shown.
///
/// Every number goes, but for a server's own error code, and everything in quotes, and every text of the bundle that is somebody's own.
struct HiddenValues {
  private let texts: [String]
  static let mark = "…"
  /// More is not looked through.
  private static let limit = 4_096

  /// - Parameter bundle: What was sent.
  init(_ bundle: [UInt8]) {
    var texts: Set<String> = []
    if let root = try? JSONDocument(bundle, rules: JSONRules(depth: 64)).root { Self.collect(root, nil, into: &texts) }
    // The longest first: a short one may be a part of it.
    self.texts = texts.sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
  }

  /// Texts by which the server names what it does not like: they say nothing of a person.
  private static let structural: Set<String> = [
    "resourceType", "code", "system", "url", "profile", "status", "method", "display", "unit", "type", "use",
    "manufacturer", "modelNumber",
  ]

  private static func collect(_ element: JSONElement, _ name: String?, into texts: inout Set<String>) {
    for (key, value) in element.members { collect(value, key.asString, into: &texts) }
    for value in element.walk { collect(value, name, into: &texts) }
    guard let text = element.asString, !structural.contains(name ?? ""), text.unicodeScalars.count >= 3 else { return }
    texts.insert(text)
  }

  /// A text without values.
  func hidden(in text: String) -> String {
    guard text.utf8.count <= Self.limit else { return "(too long to be shown)" }
    var text = text
    for known in texts where !known.isEmpty { text = text.replacing(known, with: Self.mark) }
    return Self.withoutNumbers(Self.withoutQuotes(text))
  }

  /// A server's own word, where it is one.
  static func word(_ text: String) -> String {
    let isWord =
      (1...40).contains(text.utf8.count)
      && text.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "-") }
    return isWord ? text : mark
  }

  private static func withoutQuotes(_ text: String) -> String {
    var result = text
    for expression in [/"[^"]*"/, /'[^']*'/, /“[^”]*”/, /`[^`]*`/] {
      result = result.replacing(expression, with: "\"\(mark)\"")
    }
    return result
  }

  /// Words with a digit go; `HAPI-0929` and the index of a list stay.
  private static func withoutNumbers(_ text: String) -> String {
    var (result, word) = ("", "")
    var before: Character = " "
    func end() {
      let hasDigit = word.utf8.contains { (0x30...0x39).contains($0) }
      let isIndex = before == "[" && word.utf8.count <= 2
      result += !hasDigit || isIndex || isErrorCode(word) ? word : mark
      word = ""
    }
    for letter in text {
      guard letter.isWhitespace || ",;:()[]".contains(letter) else {
        word.append(letter)
        continue
      }
      end()
      result.append(letter)
      before = letter
    }
    end()
    return result
  }

  /// Capitals, a hyphen and three to six digits.
  private static func isErrorCode(_ word: String) -> Bool {
    let parts = word.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return parts.count == 2 && (2...10).contains(parts[0].count) && (3...6).contains(parts[1].count)
      && parts[0].allSatisfy { (0x41...0x5A).contains($0) } && parts[1].allSatisfy { (0x30...0x39).contains($0) }
  }
}
