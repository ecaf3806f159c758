/// What a drawing of a meter may consist of: shapes, words and colours. Everything else is refused, so that what a browser
/// learns to do with SVG tomorrow is refused too.
enum SVGVocabulary {
  /// `use`, `image`, `a`, `script`, `style`, `foreignObject`, `filter` and everything that moves are left out on purpose: they
  /// run, fetch, or grow without bound.
  static let elements: Set<String> = [
    "svg", "g", "defs", "title", "desc", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text",
    "tspan", "linearGradient", "radialGradient", "stop", "clipPath",
  ]

  static let attributes: Set<String> = [
    "xmlns", "version", "id", "viewBox", "width", "height", "preserveAspectRatio", "x", "y", "x1", "y1", "x2", "y2",
    "cx", "cy", "r", "rx", "ry", "fx", "fy", "d", "points", "transform", "dx", "dy", "offset", "gradientUnits",
    "gradientTransform", "spreadMethod", "clipPathUnits", "fill", "fill-rule", "fill-opacity", "clip-rule", "clip-path",
    "stroke", "stroke-width", "stroke-linecap", "stroke-linejoin", "stroke-miterlimit", "stroke-dasharray",
    "stroke-dashoffset", "stroke-opacity", "opacity", "color", "stop-color", "stop-opacity", "font-family", "font-size",
    "font-style", "font-weight", "text-anchor", "role", "aria-label", "aria-labelledby", "aria-hidden",
  ]

  /// Attributes whose values are read as CSS and may name something by `url(...)`.
  static let paints: Set<String> = ["fill", "stroke", "clip-path", "color", "stop-color"]

  static let namespace = "http://www.w3.org/2000/svg"

  /// XML declarations; another one may say that the bytes mean something else than they do in UTF-8.
  static let declarations = [
    #"<?xml version="1.0" encoding="UTF-8"?>"#, #"<?xml version="1.0" encoding="utf-8"?>"#,
    #"<?xml version="1.0" encoding="UTF-8" standalone="no"?>"#, #"<?xml version="1.0"?>"#,
  ]

  /// The entities of XML itself; others have to be declared, and may stand for anything.
  static let entities: Set<String> = ["amp", "lt", "gt", "quot", "apos"]

  /// Elements that may lie in one another.
  static let depth = 32
  /// Elements of a drawing.
  static let count = 2_000

  /// Whether a value can be read as CSS without leading anywhere: no escape, and of functions a colour, or a gradient or
  /// clipping path of the same drawing.
  static func isHarmlessPaint(_ value: String) -> Bool {
    guard value.utf8.contains(0x28) else { return true }
    let word = value.lowercased()
    guard word.hasSuffix(")"), let open = word.firstIndex(of: "(") else { return false }
    let inner = word[word.index(after: open)...].dropLast()
    switch word[..<open] {
    case "url":
      return inner.hasPrefix("#")
        && inner.dropFirst().allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    case "rgb", "rgba", "hsl", "hsla":
      return inner.utf8.allSatisfy { (0x30...0x39).contains($0) || ",.% /".utf8.contains($0) }
    default: return false
    }
  }
}
