/// Why a text is not the JSON that its reader takes: what is wrong, where, and what to do about it.
public struct JSONSyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What kind of offence it is; the raw value is stable and meant for programs.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The text has more bytes than ``JSONRules/size``.
    case tooLarge = "too_large"
    /// Containers nest deeper than ``JSONRules/depth``.
    case tooDeep = "too_deep"
    /// The text ends before its value does.
    case unexpectedEnd = "unexpected_end"
    /// Something else stands where the grammar wants a value, a key or a separator.
    case unexpectedText = "unexpected_text"
    /// More text follows the value.
    case trailingText = "trailing_text"
    /// A key stands twice in one object.
    case duplicateKey = "duplicate_key"
    /// A key is written with an escape where ``JSONRules/allowsEscapedKeys`` is false.
    case escapedKey = "escaped_key"
    /// A control character in a string is not escaped.
    case controlCharacter = "control_character"
    /// An escape is unknown, broken, or half of a surrogate pair.
    case invalidEscape = "invalid_escape"
    /// Bytes in a string are no UTF-8 (RFC 3629).
    case invalidUTF8 = "invalid_utf_8"
    /// A number does not follow the grammar.
    case invalidNumber = "invalid_number"
    /// A number is outside ``JSONRules/numbers``.
    case numberOutOfRange = "number_out_of_range"
  }

  /// What kind of offence it is.
  public let code: Code
  /// The place of the first offending byte, from 0.
  public let offset: Int
  /// The same place as line and column.
  public let position: TextPosition
  /// What is wrong, with anything quoted from the text shortened and made printable.
  public let problem: String
  /// What to do about it.
  public let cure: String

  /// The whole sentence for a person: `line:column: problem; cure`.
  public var description: String { "\(position.line):\(position.column): \(problem); \(cure)" }
}

/// A place in a text, counted from 1; the column counts bytes.
public struct TextPosition: Sendable, Hashable {
  /// How many line feeds are before the place, and one.
  public let line: Int
  /// The byte within the line.
  public let column: Int

  /// The place with this line and column.
  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// The place of a byte, counted from 0, in a text.
  public init(offset: Int, in bytes: [UInt8]) {
    var line = 1
    var lineStart = 0
    for index in 0..<min(max(offset, 0), bytes.count) where bytes[index] == UInt8(ascii: "\n") {
      line += 1
      lineStart = index + 1
    }
    self.init(line: line, column: offset - lineStart + 1)
  }
}
