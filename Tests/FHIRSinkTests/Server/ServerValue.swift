import StrictJSON

/// A JSON value that a test can take apart and put together.
indirect enum ServerValue: Sendable, Hashable {
  case object([String: ServerValue])
  case array([ServerValue])
  case text(String)
  /// A number or word as it is written.
  case literal(String)

  init(_ element: JSONElement) {
    switch element.kind {
    case .object:
      var members: [String: ServerValue] = [:]
      for (key, value) in element.members { members[key.asString ?? ""] = ServerValue(value) }
      self = .object(members)
    case .array: self = .array(element.elements.map { ServerValue($0) })
    case .string, .key: self = .text(element.asString ?? "")
    case .number: self = .literal(element.numeral ?? "0")
    case .true: self = .literal("true")
    case .false: self = .literal("false")
    case .null: self = .literal("null")
    }
  }

  /// Nil for what is no JSON.
  init?(json: [UInt8]) {
    guard let root = try? JSONDocument(json, rules: JSONRules(depth: 64)).root else { return nil }
    self.init(root)
  }

  init?(json: String) { self.init(json: Array(json.utf8)) }

  subscript(name: String) -> ServerValue? {
    get { if case .object(let members) = self { members[name] } else { nil } }
    set {
      guard case .object(var members) = self else { return }
      members[name] = newValue
      self = .object(members)
    }
  }

  var text: String? { if case .text(let text) = self { text } else { nil } }
  var elements: [ServerValue] { if case .array(let elements) = self { elements } else { [] } }

  /// Every text that stands somewhere under this name.
  func all(_ name: String) -> [String] {
    switch self {
    case .object(let members):
      members.flatMap { key, value in (key == name ? value.text.map { [$0] } ?? [] : []) + value.all(name) }
    case .array(let elements): elements.flatMap { $0.all(name) }
    case .text, .literal: []
    }
  }

  /// The value with another text in the place of each reference.
  func replacing(references: [String: String]) -> ServerValue {
    switch self {
    case .object(let members):
      .object(
        members.reduce(into: [:]) { result, member in
          if member.key == "reference", let target = member.value.text.flatMap({ references[$0] }) {
            result[member.key] = .text(target)
          } else {
            result[member.key] = member.value.replacing(references: references)
          }
        })
    case .array(let elements): .array(elements.map { $0.replacing(references: references) })
    case .text, .literal: self
    }
  }

  var json: String {
    var writer = JSONWriter()
    write(nil, &writer)
    return writer.text
  }

  private func write(_ name: String?, _ json: inout JSONWriter) {
    switch self {
    case .object(let members):
      json.object(name) { json in for key in members.keys.sorted() { members[key]?.write(key, &json) } }
    case .array(let elements): json.array(name) { json in for element in elements { element.write(nil, &json) } }
    case .text(let text): json.member(name, text)
    case .literal(let literal): json.member(name, literal: literal)
    }
  }
}
