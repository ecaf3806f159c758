package import StrictJSON

/// Why a text is not the TOML that is read here: what is wrong, where, and what to do about it.
package struct TOMLSyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What kind of offence it is.
  package enum Code: String, Sendable, Hashable, CaseIterable {
    /// The text is longer than ``TOMLLimits/size``.
    case tooLarge = "too_large"
    /// Arrays or tables lie deeper than the limits say.
    case tooDeep = "too_deep"
    /// The text ends before its value does.
    case unexpectedEnd = "unexpected_end"
    /// Something else stands where the grammar wants a key, a value or the end of the line.
    case unexpectedText = "unexpected_text"
    /// A key or a table is there twice, or a name is both.
    case duplicateKey = "duplicate_key"
    /// A control character stands in a string or a comment.
    case controlCharacter = "control_character"
    /// An escape is unknown, broken or no character.
    case invalidEscape = "invalid_escape"
    /// The text is no UTF-8.
    case invalidUTF8 = "invalid_utf_8"
    /// A number does not follow the grammar or does not fit.
    case invalidNumber = "invalid_number"
    /// It is TOML, and nothing that is read here.
    case notRead = "not_read"
  }

  package let code: Code
  package let position: TextPosition
  /// What is wrong; what it quotes of the text is shortened and printable.
  package let problem: String
  package let cure: String

  /// The whole sentence for a person: `line:column: problem; cure`.
  package var description: String { "\(position.line):\(position.column): \(problem); \(cure)" }
}
