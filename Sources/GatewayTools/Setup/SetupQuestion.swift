/// A question of the setup.
package struct SetupQuestion: Sendable, Hashable {
  /// What it is about; the raw value is its key in a file of answers.
  package enum Key: String, Sendable, CaseIterable {
    case keepsSession = "session.keep"
    case user = "session.user"
    case organization = "session.organization"
    case destination = "session.destination"
    case receiver = "session.receiver"
    case tokenFile = "session.token_file"
    /// Typed by a person only: a file of answers names a file with it.
    case token = "session.token"
    case folder = "session.folder"
    case radio = "radio.without"
    case readsMeter = "meter.read"
    case listensAgain = "meter.listen_again"
    case meter = "meter.address"
    case peripheral = "meter.peripheral"
    case isReady = "meter.ready"
    case takesHistory = "meter.history"
    case isPassive = "passive.on"
    case enablesService = "service.enable"

    /// The keys that a file of answers may have.
    package static var ofFile: [String] { allCases.filter { $0 != .token }.map(\.rawValue) }
  }

  /// What an answer looks like.
  package enum Form: Sendable, Hashable {
    case text
    /// `yes` or `no`.
    case decision
    /// One of these: the word, or its number counted from 1.
    case choice([Choice])
    /// Not shown while it is typed.
    case secret
  }

  /// Something to choose.
  package struct Choice: Sendable, Hashable {
    package let word: String
    package let text: String

    package init(_ word: String, _ text: String) { (self.word, self.text) = (word, text) }
  }

  package let key: Key
  package let text: String
  package let form: Form
  /// What an empty answer means; nil: there has to be an answer.
  package let standard: String?

  init(_ key: Key, _ text: String, form: Form = .text, standard: String? = nil) {
    (self.key, self.text, self.form, self.standard) = (key, text, form, standard)
  }

  /// The question with its default, for a person.
  package var prompt: String {
    let standard = standard.map { $0.isEmpty ? " [none]" : " [\($0)]" } ?? ""
    return "\(text)\(standard)"
  }

  /// What an answer means; nil: it is none.
  func meaning(of answer: String) -> String? {
    let answer = answer.isEmpty ? standard ?? "" : answer
    switch form {
    case .secret: return answer.isEmpty ? nil : answer
    case .text: return answer.isEmpty && standard == nil ? nil : answer
    case .decision:
      switch answer.lowercased() {
      case "y", "yes", "true": return "yes"
      case "n", "no", "false": return "no"
      default: return nil
      }
    case .choice(let choices):
      if let choice = choices.first(where: { $0.word.lowercased() == answer.lowercased() }) { return choice.word }
      return Int(answer).flatMap { choices.indices.contains($0 - 1) ? choices[$0 - 1].word : nil }
    }
  }
}
