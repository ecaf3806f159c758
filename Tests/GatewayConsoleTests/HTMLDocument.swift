/// HTML as far as our own pages go: elements with attributes in quotes or without a value, texts, and nothing left open.
struct HTMLDocument {
  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  struct Element {
    let name: String
    let attributes: [String: String]
    /// The texts inside it, joined.
    var text = ""
  }

  private(set) var elements: [Element] = []
  /// Every text outside of tags, with its entities read.
  private(set) var text = ""

  private static let void: Set<String> = ["meta", "link", "input", "br", "img", "!doctype"]

  init(_ html: String) throws {
    var open: [Int] = []
    var rest = html[...]
    while !rest.isEmpty {
      guard let start = rest.firstIndex(of: "<") else {
        add(String(rest), open)
        break
      }
      add(String(rest[..<start]), open)
      guard let end = rest[start...].firstIndex(of: ">") else { throw Problem(description: "a tag does not end") }
      let tag = rest[rest.index(after: start)..<end]
      rest = rest[rest.index(after: end)...]
      if tag.hasPrefix("/") {
        let name = tag.dropFirst().lowercased()
        guard let last = open.popLast(), elements[last].name == name else {
          throw Problem(description: "</\(name)> closes nothing")
        }
      } else {
        let element = try Self.element(String(tag))
        elements.append(element)
        if !Self.void.contains(element.name) { open.append(elements.count - 1) }
      }
    }
    guard open.isEmpty else { throw Problem(description: "<\(elements[open[0]].name)> stays open") }
  }

  func all(_ name: String, where fits: (Element) -> Bool = { _ in true }) -> [Element] {
    elements.filter { $0.name == name && fits($0) }
  }

  /// The hidden fields and the values of inputs of the form with this action.
  func fields(named name: String) -> [String] {
    all("input") { $0.attributes["name"] == name }.map { $0.attributes["value"] ?? "" }
  }

  private mutating func add(_ text: String, _ open: [Int]) {
    let read = Self.entities(text)
    self.text += read
    for place in open { elements[place].text += read }
  }

  private static func element(_ tag: String) throws -> Element {
    let name = tag.prefix { !$0.isWhitespace }.lowercased()
    var attributes: [String: String] = [:]
    var rest = tag.dropFirst(name.count)
    while let match = rest.firstMatch(of: /^\s+([A-Za-z-]+)(?:="([^"<]*)")?/) {
      let attribute = String(match.1)
      guard attributes[attribute] == nil else { throw Problem(description: "\(attribute) stands twice in <\(tag)>") }
      attributes[attribute] = match.2.map { entities(String($0)) } ?? ""
      rest = rest[match.range.upperBound...]
    }
    guard name == "!doctype" || rest.allSatisfy(\.isWhitespace) else {
      throw Problem(description: "<\(tag)> is no tag")
    }
    return Element(name: name, attributes: attributes)
  }

  private static func entities(_ text: String) -> String {
    text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
      .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
  }
}
