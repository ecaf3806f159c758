import StrictJSON

/// Reads an SVG document as far as it takes to know that nothing in it runs, fetches, or grows; what it finds nothing about in
/// ``SVGVocabulary`` it refuses. It is no XML parser: it takes fewer documents than one would.
struct SVGCheck {
  /// What was read.
  struct Drawing: Sendable, Hashable {
    /// The text of the first `title` element, for whoever cannot see the drawing; nil: it has none.
    var title: String?
  }

  private let bytes: [UInt8]
  private var place = 0
  private var open: [String] = []
  private var count = 0
  private var title: [UInt8]?

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Checks a document.
  ///
  /// - Throws: ``PictureFault`` with the line.
  static func check(_ bytes: [UInt8]) throws(PictureFault) -> Drawing {
    var check = SVGCheck(bytes)
    try check.document()
    return Drawing(title: check.title.map { String(decoding: $0, as: UTF8.self) })
  }

  // MARK: - Parts of a document

  private mutating func document() throws(PictureFault) {
    guard String(validating: bytes, as: UTF8.self) != nil,
      bytes.allSatisfy({ $0 >= 0x20 || $0 == 0x09 || $0 == 0x0a || $0 == 0x0d })
    else { throw fault("is not plain UTF-8", cure: "save it as UTF-8 without control characters") }
    for declaration in SVGVocabulary.declarations where at(declaration) {
      place += declaration.utf8.count
      break
    }
    while place < bytes.count {
      if bytes[place] == UInt8(ascii: "<") { try markup() } else { try text() }
    }
    guard open.isEmpty, count > 0 else { throw fault("ends within an element", cure: "close every element") }
  }

  private mutating func markup() throws(PictureFault) {
    if at("<!--") { return try comment() }
    if at("<!") {
      throw fault("has a document type or a CDATA section", cure: "take it out: entities are not expanded")
    }
    if at("<?") { throw fault("has a processing instruction", cure: "take it out") }
    if at("</") { return try endTag() }
    try startTag()
  }

  private mutating func comment() throws(PictureFault) {
    place += 4
    while !at("-->") {
      guard place < bytes.count else { throw fault("ends within a comment", cure: "close it with -->") }
      place += 1
    }
    place += 3
  }

  /// Text up to the next markup: of a title or a word that is drawn, white space elsewhere.
  private mutating func text() throws(PictureFault) {
    let start = place
    while place < bytes.count, bytes[place] != UInt8(ascii: "<") {
      if bytes[place] == UInt8(ascii: "&") { try entity() } else { place += 1 }
    }
    let found = bytes[start..<place]
    if ["title", "desc", "text", "tspan"].contains(open.last ?? "") {
      if open == ["svg", "title"], title == nil { title = Array(found) }
      return
    }
    guard found.allSatisfy(Self.isSpace) else {
      throw fault("has text outside of title, desc, text and tspan", cure: "take it out")
    }
  }

  private mutating func entity() throws(PictureFault) {
    let start = place + 1
    var end = start
    while end < bytes.count, end - start < 8, bytes[end] != UInt8(ascii: ";") { end += 1 }
    let name = String(decoding: bytes[start..<end], as: UTF8.self)
    guard end < bytes.count, bytes[end] == UInt8(ascii: ";"), SVGVocabulary.entities.contains(name) else {
      throw fault(
        "has the entity &\(shown(name))",
        cure: "write the character itself; only &amp; &lt; &gt; &quot; &apos; are read")
    }
    place = end + 1
  }

  private mutating func endTag() throws(PictureFault) {
    place += 2
    let name = word()
    skipSpace()
    guard place < bytes.count, bytes[place] == UInt8(ascii: ">"), open.last == name else {
      throw fault("closes an element that is not open", cure: "close elements in the order in which they were opened")
    }
    place += 1
    open.removeLast()
  }

  private mutating func startTag() throws(PictureFault) {
    place += 1
    let name = word()
    guard SVGVocabulary.elements.contains(name) else {
      throw fault(
        "has the element <\(shown(name))>", cure: "a picture has shapes, words and gradients only; remove it")
    }
    count += 1
    let isInPlace = count == 1 ? name == "svg" : name != "svg" && !open.isEmpty
    guard isInPlace, open.count < SVGVocabulary.depth, count <= SVGVocabulary.count else {
      throw fault(
        "is not one svg element of at most \(SVGVocabulary.count) elements, \(SVGVocabulary.depth) deep",
        cure: "simplify it")
    }
    var names: Set<String> = []
    while true {
      let hasSpace = skipSpace()
      if at("/>") {
        place += 2
        break
      }
      if at(">") {
        place += 1
        open.append(name)
        break
      }
      guard hasSpace else {
        throw fault("has a tag that is not well-formed", cure: "put a space before each attribute")
      }
      names = names.union([try attribute(of: name, besides: names)])
    }
    guard count > 1 || names.contains("xmlns") else {
      throw fault("does not say that it is SVG", cure: "write xmlns=\"\(SVGVocabulary.namespace)\" in its svg element")
    }
  }

  /// Reads an attribute and answers its name.
  private mutating func attribute(of element: String, besides names: Set<String>) throws(PictureFault) -> String {
    let name = word()
    guard SVGVocabulary.attributes.contains(name) else {
      throw fault(
        "has the attribute \(shown(name)) in <\(element)>",
        cure: "remove it; style, href, event handlers and names with a colon are not taken")
    }
    guard !names.contains(name) else { throw fault("has \(name) twice in <\(element)>", cure: "remove one") }
    skipSpace()
    guard at("=") else { throw fault("has \(name) without a value", cure: "write \(name)=\"...\"") }
    place += 1
    skipSpace()
    guard at("\"") || at("'") else { throw fault("has a value without quotes", cure: "write \(name)=\"...\"") }
    let quote = bytes[place]
    place += 1
    let start = place
    while place < bytes.count, bytes[place] != quote {
      guard bytes[place] != UInt8(ascii: "<") else { throw fault("has < in a value", cure: "write &lt;") }
      if bytes[place] == UInt8(ascii: "&") { try entity() } else { place += 1 }
    }
    guard place < bytes.count else { throw fault("ends within a value", cure: "close the quotes") }
    let value = String(decoding: bytes[start..<place], as: UTF8.self)
    place += 1
    try check(name, value)
    return name
  }

  private func check(_ name: String, _ value: String) throws(PictureFault) {
    if name == "xmlns" {
      guard value == SVGVocabulary.namespace else {
        throw fault("has the namespace \(shown(value))", cure: "write \(SVGVocabulary.namespace)")
      }
      return
    }
    // A backslash writes any letter in CSS: what follows would hide.
    guard !value.utf8.contains(UInt8(ascii: "\\")),
      !SVGVocabulary.paints.contains(name)
        || (!value.utf8.contains(UInt8(ascii: "&")) && SVGVocabulary.isHarmlessPaint(value))
    else {
      throw fault(
        "has \(name)=\"\(shown(value))\"", cure: "write a colour, or url(#id) of something in the same drawing")
    }
  }

  // MARK: - Letters

  private func at(_ text: String) -> Bool { bytes[place...].starts(with: text.utf8) }

  /// Letters, digits and hyphens; whatever else is there, such as a colon, belongs to the name that is told.
  private mutating func word() -> String {
    let start = place
    while place < bytes.count, !Self.isSpace(bytes[place]), !"=/>\"'<&".utf8.contains(bytes[place]) { place += 1 }
    return String(decoding: bytes[start..<place], as: UTF8.self)
  }

  @discardableResult
  private mutating func skipSpace() -> Bool {
    let start = place
    while place < bytes.count, Self.isSpace(bytes[place]) { place += 1 }
    return place > start
  }

  private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0a, 0x0d].contains(byte) }

  private func fault(_ problem: String, cure: String) -> PictureFault {
    PictureFault(
      line: bytes.prefix(place).count(where: { $0 == 0x0a }) + 1, problem: "the picture \(problem)", cure: cure)
  }
}
