/// Texts of InfluxDB's line protocol.
///
/// A backslash has no escape of its own in names and tags, and one before a comma or a space would escape that: such texts have none, nor
/// control characters, which end a line.
enum LineText {
  /// A measurement, a tag's key or value, or a field's key.
  static func name(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if [",", "=", " "].contains(scalar) { result.append("\\") }
      result.append(scalar == "\\" || isControl(scalar) ? "_" : scalar)
    }
    return String(result)
  }

  /// A field's value that is a text, in its quotes.
  static func quoted(_ text: String) -> String {
    var result = String.UnicodeScalarView("\"".unicodeScalars)
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { result.append("\\") }
      result.append(isControl(scalar) ? " " : scalar)
    }
    result.append("\"")
    return String(result)
  }

  /// C0, DEL, C1, and the two that end a line or paragraph.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) || scalar.value == 0x2028 || scalar.value == 0x2029
  }
}
