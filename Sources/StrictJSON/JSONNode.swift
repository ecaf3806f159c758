/// What a value is; a key counts as one.
public enum JSONKind: UInt8, Sendable {
  /// Members between braces.
  case object
  /// Elements between brackets.
  case array
  /// The key of a member.
  case key
  /// A string that is a value.
  case string
  /// Digits with sign, fraction and exponent as the text has them.
  case number
  /// The word `true`.
  case `true`
  /// The word `false`.
  case `false`
  /// The word `null`.
  case null

  /// What the value is, in the words of a message.
  public var name: String {
    switch self {
    case .object: "an object"
    case .array: "an array"
    case .key, .string: "a string"
    case .number: "a number"
    case .true, .false: "a boolean"
    case .null: "null"
    }
  }
}

/// One value or key; the nodes of a document stand in the order of the text, a container before its content.
@usableFromInline
struct JSONNode: Sendable {
  /// How a string is written, which decides how it is read.
  @usableFromInline
  enum Form: UInt8, Sendable {
    /// Printable ASCII without escapes; everything that is no string too.
    case plain
    /// Other UTF-8 without escapes.
    case unicode
    /// UTF-8 in which a backslash stands for something else.
    case escaped
  }

  /// First byte of the value; of a string, the one after the quote.
  @usableFromInline var start: UInt32
  /// Bytes of a string, number or word, members of an object, elements of an array.
  @usableFromInline var length: UInt32
  /// Index of the first node that is not inside this one.
  @usableFromInline var end: UInt32
  @usableFromInline var kind: JSONKind
  @usableFromInline var form: Form

  /// The bytes of a string, number or word.
  var range: Range<Int> { Int(start)..<Int(start) + Int(length) }
}
