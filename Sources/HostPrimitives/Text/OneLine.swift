extension String {
  /// Somebody else's words as one line that is safe to show: control characters become spaces, and what is beyond `limit`
  /// bytes goes. They must neither forge lines of a log nor move a terminal's cursor.
  package func oneLine(atMost limit: Int) -> String {
    if utf8.count <= limit, utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return self }
    var line = UnicodeScalarView()
    var count = 0
    for scalar in unicodeScalars {
      count += UTF8.width(scalar)
      guard count <= limit else { break }
      line.append(Self.isControl(scalar) ? " " : scalar)
    }
    return String(line)
  }

  /// C0, DEL, C1, and the two that end a line or paragraph.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value) || scalar.value == 0x2028 || scalar.value == 0x2029
  }
}
