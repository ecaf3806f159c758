import ArgumentParser
import GatewayAPI

/// The question before what nobody can undo. It is for a person at a terminal: what runs without one runs as it always did.
struct ConfirmOptions: ParsableArguments {
  @Flag(help: "Do not ask first. Without a terminal, and with --json, nothing is asked.")
  var yes = false

  /// Whether a person is asked.
  func asks(_ output: OutputOptions) -> Bool { asks(json: output.json) }

  /// - Parameter json: Whether a program reads the result.
  func asks(json: Bool) -> Bool { !yes && !json && SecretInput.isThere }

  /// Asks for a person's word.
  ///
  /// - Parameters:
  ///   - question: What is done, as a question.
  ///   - lost: What is lost, a line each; asked for only where a person is asked.
  /// - Throws: ``GatewayError`` with code `not_confirmed` unless the answer is yes.
  func confirm(
    _ question: String, _ output: OutputOptions, losing lost: () async throws -> [String] = { [] }
  ) async throws {
    guard asks(output) else { return }
    try ask(question, try await lost())
  }

  /// The same for a command that waits for nothing.
  ///
  /// - Throws: ``GatewayError`` with code `not_confirmed` unless the answer is yes.
  func confirmNow(_ question: String, json: Bool, losing lost: [String] = []) throws(GatewayError) {
    guard asks(json: json) else { return }
    try ask(question, lost)
  }

  private func ask(_ question: String, _ lost: [String]) throws(GatewayError) {
    let terminal = Terminal()
    for line in lost { terminal.error("  \(line)") }
    terminal.error("\(question) Nobody can undo this. [y/N]")
    let answer = SecretInput.read(isSecret: false)?.lowercased().filter { !$0.isWhitespace }
    guard answer == "y" || answer == "yes" else {
      throw GatewayError(
        .failed, code: "not_confirmed", "nothing was done: the answer was not yes",
        hint: "answer y, or give --yes to be asked nothing")
    }
  }
}
