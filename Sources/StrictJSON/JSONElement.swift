/// A value or key of a document, with its place.
///
/// What a reader of thousands of members calls for each is inlinable: it then counts no references.
public struct JSONElement: Sendable {
  /// The text that it stands in.
  public let document: JSONDocument
  @usableFromInline let index: Int

  @inlinable
  init(document: JSONDocument, index: Int) {
    self.document = document
    self.index = index
  }

  @inlinable var node: JSONNode { document.nodes[index] }

  /// What it is.
  @inlinable public var kind: JSONKind { node.kind }

  /// Members of an object, elements of an array, bytes as written of anything else (a string without its quotes).
  @inlinable public var count: Int { Int(node.length) }

  // MARK: - Content

  /// Whether it is printable ASCII without escapes: a text that needs no second look before people see it.
  @inlinable public var isPlain: Bool { node.form == .plain }

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
  public var elements: [JSONElement] { Array(walk) }

  /// The same, one after the other without an array of them.
  @inlinable public var walk: JSONElementWalk { JSONElementWalk(self) }

  /// The elements of an array in runs of at most `length`, for several threads; none for other kinds.
  ///
  /// Each run stands on a document object of its own: threads that share one would wait for each other at its reference
  /// count.
  public func runs(of length: Int) -> [JSONElementWalk] {
    guard kind == .array, length > 0 else { return [] }
    var runs: [JSONElementWalk] = []
    var rest = walk
    while let run = rest.split(length) { runs.append(run) }
    return runs
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

/// A walk over elements of an array; over none in a value of another kind.
public struct JSONElementWalk: Sequence, IteratorProtocol, Sendable {
  @usableFromInline let document: JSONDocument
  @usableFromInline var child: Int
  @usableFromInline let end: Int

  @inlinable
  init(_ array: JSONElement) {
    document = array.document
    end = Int(array.node.end)
    child = array.kind == .array ? array.index + 1 : end
  }

  private init(document: JSONDocument, child: Int, end: Int) {
    self.document = document
    self.child = child
    self.end = end
  }

  /// The next element; nil after the last one.
  @inlinable
  public mutating func next() -> JSONElement? {
    guard child < end else { return nil }
    defer { child = Int(document.nodes[child].end) }
    return JSONElement(document: document, index: child)
  }

  /// Takes the next elements, at most `length`, as a walk of their own over a copy of the document object.
  mutating func split(_ length: Int) -> JSONElementWalk? {
    let start = child
    var count = 0
    while child < end, count < length {
      child = Int(document.nodes[child].end)
      count += 1
    }
    return count == 0 ? nil : JSONElementWalk(document: JSONDocument(sharing: document), child: start, end: child)
  }
}

/// Looks for the members of one object by key.
///
/// Each search starts where the last one found something and goes round, so that keys that are asked for in about the
/// order of the text cost no search.
public struct JSONMemberReader: Sendable {
  /// The value whose members are looked for.
  public let object: JSONElement
  @usableFromInline var next: Int

  /// A reader of this object; it finds nothing in a value of another kind.
  @inlinable
  public init(_ object: JSONElement) {
    self.object = object
    next = object.index + 1
  }

  /// The value of a key, or nil; of a key that stands twice, either.
  @inlinable
  public mutating func member(_ key: String) -> JSONElement? {
    guard object.kind == .object,
      let (value, following) = object.document.member(key, of: object.index, from: next)
    else { return nil }
    next = following
    return JSONElement(document: object.document, index: value)
  }
}
