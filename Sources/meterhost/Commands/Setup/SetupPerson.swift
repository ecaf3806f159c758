import GatewayAPI
import GatewayTools

/// Who answers the questions of the setup: a file, then a person at the terminal, then the defaults.
struct SetupPerson {
  /// How often one question is answered without a person: a meter that is not heard is waited for, and not for ever.
  private static let most = 3

  private let answers: SetupAnswers
  private let takesDefaults: Bool
  private var counts: [SetupQuestion.Key: Int] = [:]
  /// Whether a person can be asked.
  let isThere: Bool

  init(answers: SetupAnswers, takesDefaults: Bool, json: Bool) {
    self.answers = answers
    self.takesDefaults = takesDefaults
    isThere = !takesDefaults && !json && SecretInput.isThere
  }

  /// The answer to a question, and whether it is a person's.
  ///
  /// - Throws: ``GatewayError`` with code `answer_missing` or `cancelled`.
  mutating func answer(_ question: SetupQuestion) async throws(GatewayError) -> (String, isPersons: Bool) {
    let count = counts[question.key, default: 0] + 1
    counts[question.key] = count
    // What a file has answered in vain is asked of the person who is there.
    if let answer = answers.answer(question.key), count == 1 || !isThere && count <= Self.most {
      return (answer, false)
    }
    if isThere { return (try await ask(question), true) }
    if question.key == .listensAgain, count > Self.most { return ("no", false) }
    guard takesDefaults, count <= Self.most, let standard = question.standard, question.key != .radio else {
      throw GatewayError(
        .usage, code: "answer_missing", "\(question.key.rawValue) has no answer: \(question.text)",
        hint: question.key == .token
          ? "name a file with the token: session.token_file in --answers"
          : "run this at a terminal, or give it with --answers")
    }
    return (standard, false)
  }

  private func ask(_ question: SetupQuestion) async throws(GatewayError) -> String {
    let terminal = Terminal()
    terminal.error(question.prompt)
    if case .choice(let choices) = question.form {
      for (index, choice) in choices.enumerated() { terminal.error("  \(index + 1)  \(choice.text)") }
    }
    guard let line = await SecretInput.line(isSecret: question.form == .secret) else {
      throw GatewayError(
        .cancelled, code: "cancelled", "interrupted", hint: "`meterhost setup` goes on with what is there already")
    }
    var answer = line[...]
    while answer.first?.isWhitespace == true { answer = answer.dropFirst() }
    while answer.last?.isWhitespace == true { answer = answer.dropLast() }
    return String(answer)
  }
}
