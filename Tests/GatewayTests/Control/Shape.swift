/// What a value is in JSON: what a program has to know to write or to read it.
indirect enum Shape: Hashable {
  case boolean
  case integer
  case number
  case string(Words?)
  case list(Shape)
  case map(Shape)
  case object([String: Member])

  /// The words that a text may be.
  struct Words: Hashable {
    var words: Set<String>
    /// Whether another word is refused; else the list may grow.
    var isClosed: Bool
  }

  struct Member: Hashable {
    var shape: Shape
    var isRequired: Bool
  }

  /// What both say of one value that was looked at twice.
  func joined(_ other: Shape) -> Shape {
    combined(other) { first, second in
      guard let first, let second else { return first ?? second }
      return Words(words: first.words.union(second.words), isClosed: first.isClosed && second.isClosed)
    } required: { first, second in
      first == true || second == true
    }
  }

  /// What holds for either of two values.
  func varied(_ other: Shape) -> Shape {
    combined(other) { first, second in
      guard let first, let second else { return nil }
      return Words(words: first.words.union(second.words), isClosed: first.isClosed && second.isClosed)
    } required: { first, second in
      first == true && second == true
    }
  }

  private func combined(
    _ other: Shape, words: (Words?, Words?) -> Words?, required: (Bool?, Bool?) -> Bool
  ) -> Shape {
    switch (self, other) {
    case (.string(let first), .string(let second)): .string(words(first, second))
    case (.list(let first), .list(let second)): .list(first.combined(second, words: words, required: required))
    case (.map(let first), .map(let second)): .map(first.combined(second, words: words, required: required))
    case (.object(let first), .object(let second)):
      .object(
        Dictionary(
          uniqueKeysWithValues: Set(first.keys).union(second.keys).compactMap { name -> (String, Member)? in
            let (one, two) = (first[name], second[name])
            let shape: Shape? =
              if let one, let two {
                one.shape.combined(two.shape, words: words, required: required)
              } else {
                one?.shape ?? two?.shape
              }
            return shape.map { (name, Member(shape: $0, isRequired: required(one?.isRequired, two?.isRequired))) }
          }))
    default: self
    }
  }

  /// The names of all members, each with its path.
  func members(at path: String) -> [(name: String, path: String)] {
    switch self {
    case .list(let element): element.members(at: path + "[]")
    case .map(let value): value.members(at: path + ".*")
    case .object(let members):
      members.flatMap { name, member in
        [(name: name, path: "\(path).\(name)")] + member.shape.members(at: "\(path).\(name)")
      }
    case .boolean, .integer, .number, .string: []
    }
  }

  /// The paths of the texts for which another word is refused.
  func closedWords(at path: String) -> [String] {
    switch self {
    case .string(let words): words?.isClosed == true ? [path] : []
    case .list(let element): element.closedWords(at: path + "[]")
    case .map(let value): value.closedWords(at: path + ".*")
    case .object(let members): members.flatMap { $1.shape.closedWords(at: "\(path).\($0)") }
    case .boolean, .integer, .number: []
    }
  }
}

extension Shape: CustomStringConvertible {
  var description: String {
    switch self {
    case .boolean: "boolean"
    case .integer: "integer"
    case .number: "number"
    case .string(nil): "string"
    case .string(let words?): "string, \(words.isClosed ? "one of" : "such as") \(words.words.sorted())"
    case .list(let element): "array of \(element)"
    case .map(let value): "object by names of \(value)"
    case .object: "object"
    }
  }
}

extension Shape {
  /// In what the document differs from this shape, which is the code's.
  func differences(fromDocument document: Shape, at path: String) -> [String] {
    switch (self, document) {
    case (.boolean, .boolean), (.integer, .integer), (.number, .number): return []
    case (.string(let code), .string(let written)):
      // The words of a plain text are not told by its type: the document may know them.
      if code == written || (code == nil && written?.isClosed == false) { return [] }
    case (.list(let code), .list(let written)): return code.differences(fromDocument: written, at: path + "[]")
    case (.map(let code), .map(let written)): return code.differences(fromDocument: written, at: path + ".*")
    case (.object(let code), .object(let written)):
      return Set(code.keys).union(written.keys).sorted().flatMap { name in
        Self.differences(code[name], written[name], at: "\(path).\(name)")
      }
    default: break
    }
    return ["\(path) is \(self), and the document has \(document)"]
  }

  private static func differences(_ code: Member?, _ written: Member?, at path: String) -> [String] {
    guard let code else { return ["\(path) is in the document only"] }
    guard let written else { return ["\(path) is not in the document"] }
    let inner = code.shape.differences(fromDocument: written.shape, at: path)
    guard code.isRequired != written.isRequired else { return inner }
    return ["\(path) is \(code.isRequired ? "required" : "optional"), and the document says otherwise"] + inner
  }
}
