/// A question as `--json` shows it.
public struct QuestionDescription: Sendable, Codable, Hashable {
  /// Names the question in its answer; every question has a new one.
  public var id: UInt64
  /// What is asked for: `passkey` (decimal digits), `hex_key` (hexadecimal ones), `qr` (a code's text) or `choice`.
  public var kind: String
  /// The words to show to the person.
  public var prompt: String
  /// The answers to choose from, one of which is given by its number from 1; nil for the other kinds.
  public var choices: [String]?
  /// Whether the answer must not be shown while it is typed, nor logged.
  public var secret: Bool
  /// Least length of an answer, in digits or in bytes of a text.
  public var least: Int
  /// Greatest length of an answer, in digits or in bytes of a text.
  public var greatest: Int
  /// Why the answer before was not taken, for people; nil for a first question.
  public var problem: String?

  package init(
    id: UInt64, kind: String, prompt: String, choices: [String]? = nil, secret: Bool, least: Int, greatest: Int,
    problem: String? = nil
  ) {
    self.id = id
    self.kind = kind
    self.prompt = prompt
    self.choices = choices
    self.secret = secret
    self.least = least
    self.greatest = greatest
    self.problem = problem
  }
}
