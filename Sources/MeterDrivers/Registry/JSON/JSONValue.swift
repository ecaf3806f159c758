/// A value of a document, with typed access that says where and what when the value is another.
struct JSONValue {
  let document: JSONDocument
  let index: Int

  var node: JSONNode { document.nodes[index] }
  var kind: JSONKind { node.kind }

  func error(_ code: RegistryError.Code, _ problem: String, cure: String) -> RegistryError {
    RegistryError(
      code: code, file: document.file, path: document.path(of: index), position: position, problem: problem, cure: cure)
  }

  func warning(_ message: String) -> RegistryWarning {
    RegistryWarning(file: document.file, path: document.path(of: index), position: position, message: message)
  }

  private var position: RegistryPosition {
    let isQuoted = kind == .string || kind == .key
    return RegistryPosition(offset: Int(node.start) - (isQuoted ? 1 : 0), in: document.bytes)
  }

  private func wrongType(_ wanted: String) -> RegistryError {
    error(.wrongType, "is \(kind.name)", cure: "write \(wanted)")
  }

  func elements(atMost limit: Int = 100_000) throws(RegistryError) -> [JSONValue] {
    guard kind == .array else { throw wrongType("an array") }
    guard node.length <= limit else {
      throw error(.invalidValue, "has \(node.length) elements", cure: "keep it at \(limit) or fewer")
    }
    var values: [JSONValue] = []
    values.reserveCapacity(Int(node.length))
    var child = index + 1
    while child < Int(node.end) {
      values.append(JSONValue(document: document, index: child))
      child = Int(document.nodes[child].end)
    }
    return values
  }

  /// The members of an object whose keys are data.
  func members(atMost limit: Int) throws(RegistryError) -> [(key: JSONValue, value: JSONValue)] {
    try requireObject()
    guard node.length <= limit else {
      throw error(.invalidValue, "has \(node.length) members", cure: "keep it at \(limit) or fewer")
    }
    var members: [(key: JSONValue, value: JSONValue)] = []
    var child = index + 1
    while child < Int(node.end) {
      members.append(
        (JSONValue(document: document, index: child), JSONValue(document: document, index: child + 1)))
      child = Int(document.nodes[child + 1].end)
    }
    return members
  }

  func requireObject() throws(RegistryError) {
    guard kind == .object else { throw wrongType("an object") }
  }

  func bool() throws(RegistryError) -> Bool {
    switch kind {
    case .true: return true
    case .false: return false
    default: throw wrongType("true or false")
    }
  }

  /// The text of a key or string, whatever it holds.
  var anyText: String { document.string(node) }

  /// A string of at most `limit` bytes, whatever it holds.
  func string(limit: Int) throws(RegistryError) -> String {
    guard kind == .string else { throw wrongType("a string") }
    guard node.length <= limit * 6 else { throw tooLong(Int(node.length), limit) }
    let text = document.string(node)
    guard text.utf8.count <= limit else { throw tooLong(text.utf8.count, limit) }
    return text
  }

  private func tooLong(_ length: Int, _ limit: Int) -> RegistryError {
    error(.invalidValue, "has \(length) bytes", cure: "shorten it to \(limit) bytes of UTF-8")
  }

  func integer<Number: FixedWidthInteger>(
    _ range: ClosedRange<Number>
  ) throws(RegistryError) -> Number {
    guard kind == .number else { throw wrongType("a whole number") }
    let text = String(decoding: document.raw(node), as: UTF8.self)
    guard let number = Number(text), range.contains(number) else {
      throw error(
        .invalidValue, "\(shown(text)) is out of range",
        cure: "write a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func number() throws(RegistryError) -> Double {
    guard kind == .number else { throw wrongType("a number") }
    guard let number = Double(String(decoding: document.raw(node), as: UTF8.self)), number.isFinite else {
      throw error(.invalidValue, "is too large a number", cure: "write a number that fits a 64-bit float")
    }
    return number
  }
}

/// The keys of one kind of object: every case is a key, and the schema in docs/ lists the same ones.
protocol RegistryKey: CaseIterable, RawRepresentable<String>, Hashable {
  /// Keys that must be present.
  static var requiredKeys: Set<Self> { get }
}

/// Reads the members of one object by key and notices those that nobody asked for.
struct ObjectReader<Key: RegistryKey> {
  let value: JSONValue
  private var hint: Int
  private var found: UInt32 = 0

  init(_ value: JSONValue) throws(RegistryError) {
    try value.requireObject()
    self.value = value
    hint = value.index + 1
  }

  /// The member, or nil; ask for each key once. Starts where the last one was found: files are mostly in order.
  mutating func optional(_ key: Key) -> JSONValue? {
    guard let (member, following) = value.document.member(key.rawValue, of: value.index, from: hint) else { return nil }
    hint = following
    found += 1
    return JSONValue(document: value.document, index: member)
  }

  mutating func required(_ key: Key) throws(RegistryError) -> JSONValue {
    guard let member = optional(key) else {
      throw value.error(.missingKey, "has no \"\(key.rawValue)\"", cure: "add it")
    }
    return member
  }

  /// Call after the last key: unknown ones become warnings (rule R22).
  func finish(_ warnings: inout [RegistryWarning]) throws(RegistryError) {
    guard found < value.node.length else { return }
    let known = Key.allCases.map(\.rawValue)
    for (key, _) in try value.members(atMost: .max) where !known.contains(key.anyText) {
      guard warnings.count < RegistryLimits.warnings else { return }
      let guess = nearest(to: key.anyText, among: known).map { "; did you mean \"\($0)\"?" } ?? ""
      warnings.append(key.warning("the key is unknown and ignored\(guess)"))
    }
  }
}

/// The word that is at most a third of its letters away from `word` (optimal string alignment distance).
func nearest(to word: String, among known: [String]) -> String? {
  let letters = Array(word.utf8.prefix(64))
  let distances = known.map { (distance(letters, Array($0.utf8)), $0) }
  guard let best = distances.min(by: { $0.0 < $1.0 }), best.0 <= max(1, best.1.utf8.count / 3) else { return nil }
  return best.1
}

private func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
  var before: [Int] = []
  var row = Array(0...other.count)
  for i in 0..<one.count {
    var next = [i + 1]
    for j in 0..<other.count {
      var least = min(row[j + 1] + 1, next[j] + 1, row[j] + (one[i] == other[j] ? 0 : 1))
      if i > 0, j > 0, one[i] == other[j - 1], one[i - 1] == other[j] { least = min(least, before[j - 1] + 1) }
      next.append(least)
    }
    before = row
    row = next
  }
  return row[other.count]
}
