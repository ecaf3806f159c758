import StrictJSON

/// Text that is safe to show: names of meters, texts of registries and answers of receivers come from outside.
enum TerminalText {
  static func styled(_ text: String, _ style: Terminal.Style) -> String {
    "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
  }

  /// One line of a table's column.
  struct Cell {
    let text: String
    /// How many columns it takes.
    let width: Int

    init(_ text: String, keepsStyles: Bool) {
      if isPlainASCII(text) {
        (self.text, width) = (text, text.utf8.count)
      } else {
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ").replacing("\t", with: " ")
        self.text = plain(line, keepsStyles: keepsStyles)
        width = (keepsStyles ? styles.reduce(self.text) { $0.replacing($1, with: "") } : self.text).count
      }
    }

    private init(text: String, width: Int) { (self.text, self.width) = (text, width) }

    /// The beginning of what is wider, with an ellipsis; styles go.
    func cut(to limit: Int) -> Cell {
      guard width > limit, limit > 0 else { return self }
      let plain = styles.reduce(text) { $0.replacing($1, with: "") }
      return Cell(text: plain.prefix(limit - 1) + "…", width: limit)
    }
  }

  /// The text with a mark for everything that a terminal would obey, that would turn its reading direction, or that nobody would
  /// see; line breaks stay, and the styles of this program where they are wanted.
  static func plain(_ text: String, keepsStyles: Bool) -> String {
    if isPlainASCII(text) { return text }
    guard keepsStyles else { return marked(text) }
    var result = ""
    var rest = text[...]
    while !rest.isEmpty {
      let style = styles.compactMap { rest.firstRange(of: $0) }.min { $0.lowerBound < $1.lowerBound }
      result += marked(String(rest[..<(style?.lowerBound ?? rest.endIndex)]))
      guard let style else { break }
      result += rest[style]
      rest = rest[style.upperBound...]
    }
    return result
  }

  /// Nearly every text, told without a look at its characters.
  private static func isPlainASCII(_ text: String) -> Bool { text.utf8.allSatisfy { (0x20..<0x7F).contains($0) } }

  private static let styles = (Terminal.Style.allCases.map(\.rawValue) + ["0"]).map { "\u{1B}[\($0)m" }
}
