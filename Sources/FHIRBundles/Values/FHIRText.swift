/// Words of meters and people as FHIR's strings: they are not empty, and have no control characters but tabs and ends of lines.
enum FHIRText {
  /// The text without what FHIR does not take and without white space around it; nil for one of which nothing is left.
  static func string(_ text: String) -> String? {
    let kept = text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F || ["\t", "\n", "\r"].contains($0) }
    let start = kept.drop { $0.properties.isWhitespace }
    guard let end = start.lastIndex(where: { !$0.properties.isWhitespace }) else { return nil }
    return String(String.UnicodeScalarView(start[...end]))
  }
}
