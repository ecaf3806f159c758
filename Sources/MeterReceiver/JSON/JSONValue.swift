import StrictJSON

/// How a number was written. 6.2 and 6.20 are one value, but not one resolution: a meter that shows 6.20 has measured more.
struct Numeral: Sendable, Equatable {
  /// The number as it was written, a zero without its sign; nil when nobody has written it, or at too great length.
  let text: String?
  /// Whether it was written so that every reader takes it for the same value.
  let isBounded: Bool

  init(_ text: String? = nil) {
    isBounded = text.map(JSONNumeral.isBounded) ?? true
    self.text = isBounded ? text.map(JSONNumeral.withoutSignOfZero) : nil
  }

  /// Numbers are compared by their values.
  static func == (one: Numeral, other: Numeral) -> Bool { true }
}

/// A JSON value (RFC 8259) that is read, changed and written. It keeps what a validator needs and Foundation's decoders
/// drop: members given twice, and numbers beyond Double's range (kept as infinity). One bad record of a list can so be
/// refused without its neighbours.
enum JSONValue: Sendable, Equatable {
  case null
  case bool(Bool)
  case number(Double, as: Numeral = Numeral())
  case string(String)
  case array([JSONValue])
  case object(JSONObject)

  /// What the value is, in the words of an error message.
  var kind: String {
    switch self {
    case .null: JSONKind.null.name
    case .bool: JSONKind.true.name
    case .number: JSONKind.number.name
    case .string: JSONKind.string.name
    case .array: JSONKind.array.name
    case .object: JSONKind.object.name
    }
  }

  /// The value as an integer, or nil if it is anything else (5.0 is the integer 5 in JSON; 5.5, "5" and 1e300 are not).
  var integer: Int? {
    guard case .number(let number, _) = self else { return nil }
    return Int(exactly: number)
  }

  static func integer(_ value: some BinaryInteger) -> JSONValue { .number(Double(value)) }
}

/// The members of a JSON object in the order in which they were written.
struct JSONObject: Sendable, Equatable, ExpressibleByDictionaryLiteral {
  struct Member: Sendable, Equatable {
    var name: String
    var value: JSONValue
  }

  var members: [Member]

  init(members: [Member] = []) {
    self.members = members
  }

  init(dictionaryLiteral elements: (String, JSONValue)...) {
    members = elements.map { Member(name: $0.0, value: $0.1) }
  }

  /// The first member of that name. Setting replaces it or, where there is none, appends it; nil removes it.
  subscript(name: String) -> JSONValue? {
    get { members.first { $0.name == name }?.value }
    set {
      let index = members.firstIndex { $0.name == name }
      switch (index, newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append(Member(name: name, value: value))
      case (nil, nil): break
      }
    }
  }
}
