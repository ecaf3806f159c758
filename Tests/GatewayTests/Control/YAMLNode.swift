/// The part of YAML that this project's OpenAPI documents are written in: mappings and sequences in blocks of two blanks or on
/// one line, texts with and without quotes, and blocks of text behind `|`.
indirect enum YAMLNode {
  case text(String)
  case list([YAMLNode])
  case map([String: YAMLNode])

  /// A line that is none of it.
  struct Problem: Error, CustomStringConvertible {
    let line: Int
    let description: String
  }

  /// Reads a document.
  init(parsing text: String) throws {
    var reader = Reader(text)
    self = try reader.block(indent: 0)
    if let line = reader.next {
      throw Problem(line: line.number, description: "line \(line.number) belongs to nothing")
    }
  }

  subscript(key: String) -> YAMLNode? { if case .map(let members) = self { members[key] } else { nil } }

  var text: String? { if case .text(let text) = self { text } else { nil } }
  var elements: [YAMLNode] { if case .list(let elements) = self { elements } else { [] } }
  var members: [String: YAMLNode] { if case .map(let members) = self { members } else { [:] } }
  var texts: [String] { elements.compactMap(\.text) }
}

/// Reads blocks line by line.
private struct Reader {
  struct Line {
    let number: Int
    var indent: Int
    var content: Substring
  }

  private var lines: [Line]
  private var position = 0

  init(_ text: String) {
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, line in
      let content = line.drop { $0 == " " }
      return Line(number: index + 1, indent: line.count - content.count, content: content)
    }
  }

  /// The next line with something in it.
  var next: Line? {
    lines[position...].first { !$0.content.isEmpty && !$0.content.hasPrefix("#") }
  }

  private mutating func take() {
    while position < lines.count, lines[position].content.isEmpty || lines[position].content.hasPrefix("#") {
      position += 1
    }
    position += 1
  }

  /// A mapping or a sequence whose lines have this indent.
  mutating func block(indent: Int) throws -> YAMLNode {
    guard let first = next, first.indent == indent else { return .text("") }
    return first.content.hasPrefix("- ") ? try sequence(indent) : try mapping(indent)
  }

  private mutating func sequence(_ indent: Int) throws -> YAMLNode {
    var elements: [YAMLNode] = []
    while let line = next, line.indent == indent, line.content.hasPrefix("- ") {
      // What follows the dash is the first line of a block that stands two blanks deeper.
      let place = lines.firstIndex { $0.number == line.number } ?? position
      lines[place].indent = indent + 2
      lines[place].content = line.content.dropFirst(2)
      elements.append(try mapping(indent + 2))
    }
    return .list(elements)
  }

  private mutating func mapping(_ indent: Int) throws -> YAMLNode {
    var members: [String: YAMLNode] = [:]
    while let line = next, line.indent == indent, !line.content.hasPrefix("- ") {
      guard let match = line.content.wholeMatch(of: /("[^"]*"|[^\s:"][^:]*):(?: (.*))?/) else {
        throw YAMLNode.Problem(line: line.number, description: "line \(line.number) has no key: \(line.content)")
      }
      let key = String(match.1).trimmed
      guard members[key] == nil else {
        throw YAMLNode.Problem(line: line.number, description: "line \(line.number): \(key) stands here twice")
      }
      take()
      members[key] = try value(String(match.2 ?? ""), of: line)
    }
    return .map(members)
  }

  private mutating func value(_ text: String, of line: Line) throws -> YAMLNode {
    if text == "|" { return .text(textBlock(below: line.indent)) }
    guard text.isEmpty else {
      var flow = Flow(text)
      return try flow.whole(line.number)
    }
    guard let next, next.indent > line.indent else { return .text("") }
    return try block(indent: next.indent)
  }

  private mutating func textBlock(below indent: Int) -> String {
    var text: [Substring] = []
    while position < lines.count, lines[position].content.isEmpty || lines[position].indent > indent {
      text.append(lines[position].content)
      position += 1
    }
    return text.joined(separator: "\n")
  }
}

/// Reads what stands on one line: `[a, b]`, `{ a: b }`, a text.
private struct Flow {
  private var rest: Substring

  init(_ text: String) { rest = Substring(text) }

  mutating func whole(_ line: Int) throws -> YAMLNode {
    // A text without quotes may have any sign in it.
    guard let first = rest.first, "[{\"".contains(first) else { return .text(String(rest).trimmed) }
    let node = try value(line)
    guard rest.allSatisfy({ $0 == " " }) else {
      throw YAMLNode.Problem(line: line, description: "line \(line) goes on with \(rest)")
    }
    return node
  }

  private mutating func value(_ line: Int) throws -> YAMLNode {
    skip()
    switch rest.first {
    case "[": return .list(try items(until: "]", line) { flow in try flow.value(line) })
    case "{":
      let pairs = try items(until: "}", line) { flow in
        let key = flow.plain(until: ":")
        flow.rest = flow.rest.dropFirst()
        return (key, try flow.value(line))
      }
      return .map(Dictionary(pairs) { $1 })
    case "\"": return .text(quoted())
    default: return .text(plain(until: ",]}"))
    }
  }

  private mutating func items<Item>(
    until end: Character, _ line: Int, _ item: (inout Flow) throws -> Item
  ) throws -> [Item] {
    rest = rest.dropFirst()
    var items: [Item] = []
    skip()
    while rest.first != end {
      items.append(try item(&self))
      skip()
      if rest.first == "," {
        rest = rest.dropFirst()
      } else if rest.first != end {
        throw YAMLNode.Problem(line: line, description: "line \(line) does not end with \(end)")
      }
      skip()
    }
    rest = rest.dropFirst()
    return items
  }

  private mutating func quoted() -> String {
    rest = rest.dropFirst()
    var text = ""
    while let sign = rest.popFirst(), sign != "\"" {
      text.append(sign == "\\" ? rest.popFirst() ?? "\\" : sign)
    }
    return text
  }

  private mutating func plain(until ends: String) -> String {
    let text = rest.prefix { !ends.contains($0) }
    rest = rest.dropFirst(text.count)
    return String(text).trimmed
  }

  private mutating func skip() { rest = rest.drop { $0 == " " } }
}

extension String {
  /// Without blanks around it, and without the quotes of a key.
  fileprivate var trimmed: String {
    let text = drop { $0 == " " }
    let end = text.lastIndex { $0 != " " }.map { text.index(after: $0) } ?? text.endIndex
    let inner = text[..<end]
    return inner.count > 1 && inner.hasPrefix("\"") && inner.hasSuffix("\"")
      ? String(inner.dropFirst().dropLast()) : String(inner)
  }
}
