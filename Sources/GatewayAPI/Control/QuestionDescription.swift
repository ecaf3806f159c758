/// A question as `--json` shows it.
public struct QuestionDescription: Sendable, Codable, Hashable {
  /// Names the question.
  public var id: UInt64
  /// `passkey`, `hex_key`, `qr` or `choice`.
  public var kind: String
  /// The words to show.
  public var prompt: String
  /// The answers to choose from.
  public var choices: [String]?
  /// The answer must not be shown.
  public var secret: Bool
  /// Least length of an answer.
  public var least: Int
  /// Greatest length of an answer.
  public var greatest: Int
  /// Why the answer before was not taken.
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
