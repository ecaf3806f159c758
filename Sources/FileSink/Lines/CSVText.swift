/// A cell of a row (RFC 4180).
enum CSVText {
  /// A number or a name of ours.
  static func plain(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { !needingQuotes.contains($0) }
    return isPlain && text.utf8.first != UInt8(ascii: " ") && text.utf8.last != UInt8(ascii: " ")
      ? text : "\"" + text.replacing("\"", with: "\"\"") + "\""
  }

  /// Somebody's words, which a spreadsheet must not take for a formula.
  ///
  /// An apostrophe before them keeps them a text (OWASP, "CSV Injection"), also before words that begin with one: who reads
  /// the file takes one apostrophe away, and has the words. Control characters are written as spaces, so that a row is a line.
  static func words(_ text: String) -> String {
    var line = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { line.append(isControl(scalar) ? " " : scalar) }
    let first = line.first { !$0.properties.isWhitespace }
    let isFormula = first.map { formulaMarks.contains($0) } ?? false
    return plain((isFormula ? "'" : "") + String(line))
  }

  private static let needingQuotes: Set<UInt8> = Set("\",;\r\n\t".utf8)
  /// What a formula begins with, also in the width of East Asian letters; and the apostrophe itself.
  private static let formulaMarks: Set<Unicode.Scalar> = [
    "=", "+", "-", "@", "'", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
  ]

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) || scalar.value == 0x2028 || scalar.value == 0x2029
  }
}
