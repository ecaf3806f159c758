/// A value or key of a document, with its place.
public struct JSONElement: Sendable {
  /// The text that it stands in.
  public let document: JSONDocument
  let index: Int

  private var node: JSONNode { document.nodes[index] }

  /// What it is.
  public var kind: JSONKind { node.kind }

  /// Members of an object, elements of an array, bytes as written of anything else (a string without its quotes).
  public var count: Int { Int(node.length) }

  // MARK: - Content

  /// Whether it is ASCII without escapes: a text that needs no second look before people see it.
  public var isPlain: Bool { node.form == .plain }

  /// The content of a string or key with its escapes resolved; nil for other kinds.
  public var asString: String? { kind == .string || kind == .key ? document.text(of: node) : nil }

  /// A number as it is written; nil for other kinds.
  public var numeral: String? { kind == .number ? document.text(of: node) : nil }

  /// The 64-bit float next to a number, which is infinity for the largest ones; nil for other kinds.
  public var asDouble: Double? { numeral.flatMap { Double($0) } }

  /// The truth of `true` or `false`; nil for other kinds.
  public var asBool: Bool? {
    switch kind {
    case .true: true
    case .false: false
    default: nil
    }
  }

  /// The elements of an array; none for other kinds.
  public var elements: [JSONElement] {
    guard kind == .array else { return [] }
    var elements: [JSONElement] = []
    elements.reserveCapacity(count)
    let end = Int(node.end)
    var child = index + 1
    while child < end {
      elements.append(JSONElement(document: document, index: child))
      child = Int(document.nodes[child].end)
    }
    return elements
  }

  /// The elements of an array in at most `count` runs of about one length, for as many threads; none for other kinds.
  ///
  /// Each run stands on a document object of its own: threads that share one would wait for each other at its reference
  /// count.
  public func runs(_ count: Int) -> [[JSONElement]] {
    let elements = elements
    let length = max(1, (elements.count + count - 1) / max(1, count))
    return stride(from: 0, to: elements.count, by: length).map { start in
      let document = JSONDocument(sharing: document)
      return elements[start..<min(start + length, elements.count)].map {
        JSONElement(document: document, index: $0.index)
      }
    }
  }

  /// The members of an object in the order of the text; none for other kinds.
  public var members: [(key: JSONElement, value: JSONElement)] {
    guard kind == .object else { return [] }
    var members: [(key: JSONElement, value: JSONElement)] = []
    members.reserveCapacity(count)
    let end = Int(node.end)
    var child = index + 1
    while child < end {
      members.append(
        (JSONElement(document: document, index: child), JSONElement(document: document, index: child + 1)))
      child = Int(document.nodes[child + 1].end)
    }
    return members
  }

  /// The value of a key of an object; nil where there is none, and for other kinds.
  public func member(_ key: String) -> JSONElement? {
    var members = JSONMemberReader(self)
    return members.member(key)
  }

  // MARK: - Place

  /// The place of its first byte in the text, from 0; of a string, the quote.
  public var offset: Int { Int(node.start) - (kind == .string || kind == .key ? 1 : 0) }

  /// The same place as line and column. Costs a walk over the text before it.
  public var position: TextPosition { TextPosition(offset: offset, in: document.bytes) }

  /// Where it stands among the others, such as `$.drivers[3].library`; keys are shortened and made printable.
  public var path: String { document.path(of: index) }
}

/// Looks for the members of one object by key.
///
/// Each search starts where the last one found something and goes round, so that keys that are asked for in about the
/// order of the text cost no search.
public struct JSONMemberReader: Sendable {
  private let object: JSONElement
  private var next: Int

  /// A reader of this object; it finds nothing in a value of another kind.
  public init(_ object: JSONElement) {
    self.object = object
    next = object.index + 1
  }

  /// The value of a key, or nil; of a key that stands twice, either.
  public mutating func member(_ key: String) -> JSONElement? {
    guard object.kind == .object,
      let (value, following) = object.document.member(key, of: object.index, from: next)
    else { return nil }
    next = following
    return JSONElement(document: object.document, index: value)
  }
}
