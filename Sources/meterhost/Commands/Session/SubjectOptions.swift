import ArgumentParser
import GatewayAPI

/// Whose readings a receiver would get, where it says so itself: a person looks at it before anything is sent there.
struct SubjectOptions: ParsableArguments {
  @Flag(help: "Do not ask whether the receiver has the right person; --birth-date must be theirs then.")
  var yes = false
  @Option(
    help: ArgumentHelp(
      "The date of birth of the person whose readings they are: what the receiver has must be the same.",
      valueName: "yyyy-mm-dd"))
  var birthDate: String?

  /// What was confirmed; nil for a kind whose receivers say nothing of the kind.
  ///
  /// - Throws: ``GatewayError`` with code `not_confirmed` or `subject_differs`, and what the receiver says.
  func confirmed(
    _ kind: SinkKindDescription, token: String?, setting: [String: SettingValue], _ output: OutputOptions,
    _ locations: LocationOptions
  ) async throws -> String? {
    guard kind.confirms == true else { return nil }
    let request = SinkSubjectRequest(kind: kind.kind, token: token, setting: setting)
    guard let subject = try await locations.perform(request).subject else { return nil }
    if let birthDate { try check(birthDate, subject) }
    guard !yes, !output.json, SecretInput.isThere else {
      guard birthDate != nil else { throw Self.unasked }
      return subject.digest
    }
    try ask(subject)
    return subject.digest
  }

  /// What the receiver has must be a whole date: a year alone is that of many.
  private func check(_ birthDate: String, _ subject: SinkSubjectDescription) throws(GatewayError) {
    guard birthDate.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}/) != nil else {
      throw GatewayError(
        .usage, code: "subject_differs", "--birth-date is a whole date, as 1958-03-07",
        hint: "leave it out at a terminal: the person is shown and you are asked")
    }
    guard subject.birthDate == birthDate else {
      throw GatewayError(
        .failed, code: "subject_differs",
        "the receiver has another birth date, or none, for \(subject.reference); nothing was changed",
        hint: "look whose record it is before you go on: readings of one person in the record of another do harm")
    }
  }

  private static let unasked = GatewayError(
    .failed, code: "not_confirmed",
    "nobody could be asked whether the receiver has the right person; nothing was changed",
    hint: "run it at a terminal, or give --birth-date with the person's date of birth")

  private func ask(_ subject: SinkSubjectDescription) throws(GatewayError) {
    let terminal = Terminal()
    terminal.error("The receiver would file the readings under:")
    for fact in subject.facts { terminal.error("  \(fact.name): \(fact.value)") }
    terminal.error("Are they this person's? [y/N]")
    let answer = SecretInput.read(isSecret: false)?.lowercased().filter { !$0.isWhitespace }
    guard answer == "y" || answer == "yes" else {
      throw GatewayError(
        .failed, code: "not_confirmed", "nothing was done: the answer was not yes",
        hint: "name the right person with --patient or --patient-identifier")
    }
  }
}
