package import GatewayAPI
package import MeterBluetooth

extension QuestionDescription {
  /// Describes a question.
  package init(_ question: ReadQuestion) {
    self.init(
      id: question.id, kind: question.kind.rawValue, prompt: question.prompt,
      choices: question.choices.isEmpty ? nil : question.choices, secret: question.isSecret,
      least: question.lengths.lowerBound, greatest: question.lengths.upperBound, problem: question.problem)
  }
}
