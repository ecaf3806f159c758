public import MeterBluetooth

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

  /// Describes a question.
  public init(_ question: ReadQuestion) {
    id = question.id
    kind = question.kind.rawValue
    prompt = question.prompt
    choices = question.choices.isEmpty ? nil : question.choices
    secret = question.isSecret
    (least, greatest) = (question.lengths.lowerBound, question.lengths.upperBound)
    problem = question.problem
  }
}
