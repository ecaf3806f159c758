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

  /// Texts by which the server names what it does not like: they say nothing of a person. `display` is none of them, since values that are
  /// codes have one.
  private static let structural: Set<String> = [
    "resourceType", "code", "system", "url", "profile", "status", "method", "unit", "type", "use", "manufacturer",
    "modelNumber",
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

  /// Words with a digit go; `HAPI-0929` and the index within a path such as `Bundle.entry[3]` stay.
  private static func withoutNumbers(_ text: String) -> String {
    var (result, word) = ("", "")
    var before: Character = " "
    // Of the word that was last.
    var (isPath, isIndex) = (false, false)
    func end(by letter: Character?) {
      let continues = before == "]" && isIndex
      let hasDigit = word.utf8.contains { (0x30...0x39).contains($0) }
      isIndex = before == "[" && letter == "]" && isPath && word.utf8.count <= 2
      isPath = isPartOfPath(word, continues: continues)
      result += !hasDigit || isIndex || isErrorCode(word) ? word : mark
      word = ""
    }
    for letter in text {
      guard letter.isWhitespace || ",;:()[]".contains(letter) else {
        word.append(letter)
        continue
      }
      end(by: letter)
      result.append(letter)
      before = letter
    }
    end(by: nil)
    return result
  }

  /// `Bundle.entry`, or `.resource.component` behind an index: letters and points, from the name of a type on.
  private static func isPartOfPath(_ word: String, continues: Bool) -> Bool {
    let parts = word.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count >= 2, let first = parts.first else { return false }
    let begins = continues ? first.isEmpty : first.first.map { (0x41...0x5A).contains($0) } ?? false
    return begins && parts.dropFirst().allSatisfy { !$0.isEmpty }
      && parts.allSatisfy { $0.allSatisfy { (0x61...0x7A).contains($0 | 0x20) } }
  }

  /// Capitals, a hyphen and three to six digits.
  private static func isErrorCode(_ word: String) -> Bool {
    let parts = word.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return parts.count == 2 && (2...10).contains(parts[0].count) && (3...6).contains(parts[1].count)
      && parts[0].allSatisfy { (0x41...0x5A).contains($0) } && parts[1].allSatisfy { (0x30...0x39).contains($0) }
  }
}
