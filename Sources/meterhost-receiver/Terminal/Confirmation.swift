import Foundation
import HostErrors

/// A question before what cannot be undone.
enum Confirmation {
  /// Asks the person at the terminal.
  ///
  /// - Parameters:
  ///   - question: What would be done.
  ///   - isGiven: Whether the command line has answered already (`--yes`).
  ///   - asksPerson: False where a program reads the answers.
  /// - Throws: ``ProgramError`` `not_confirmed` when nobody is there to be asked, or the answer was no.
  static func require(_ question: String, isGiven: Bool, asksPerson: Bool) throws(ProgramError) {
    guard !isGiven else { return }
    guard asksPerson, isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
      throw ProgramError(
        .usage, code: "not_confirmed",
        "this cannot be undone, and nobody is at a terminal to be asked; nothing was done",
        hint: "--yes says that it is meant")
    }
    Terminal().error("\(question) [y/N]")
    let answer = readLine()?.trimmingCharacters(in: .whitespaces).lowercased()
    guard answer == "y" || answer == "yes" else {
      throw ProgramError(.cancelled, code: "not_confirmed", "nothing was done")
    }
  }
}
