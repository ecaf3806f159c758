package import ArgumentParser

/// An error as a program tells it: what happened, what to do, and an exit status.
package struct Failure: Sendable {
  package let code: String
  package let message: String
  package let hint: String?
  package let exitStatus: Int32

  package init(code: String, message: String, hint: String?, exitStatus: Int32) {
    (self.code, self.message, self.hint, self.exitStatus) = (code, message, hint, exitStatus)
  }

  /// What is no error of the host's own. Nil for what is no failure of a command: help, a version, and an exit status that a command
  /// has chosen itself.
  ///
  /// - Parameters:
  ///   - root: The program's command.
  ///   - wrong: How a wrong command line is told.
  package init?(
    foreign error: any Error, of root: any ParsableCommand.Type, wrong: () -> (message: String, hint: String)
  ) {
    if error is ExitCode || error is CleanExit { return nil }
    let status = root.exitCode(for: error)
    guard status != .success else { return nil }
    guard status == .validationFailure else {
      self.init(code: "failed", message: "\(error)", hint: nil, exitStatus: 1)
      return
    }
    let (message, hint) = wrong()
    self.init(code: "usage", message: message, hint: hint, exitStatus: 64)
  }

  /// The error as `--json` tells it.
  package struct Told: Encodable, Sendable {
    let code: String
    let message: String
    let hint: String?
  }

  /// What `--json` prints.
  package var told: [String: Told] { ["error": Told(code: code, message: message, hint: hint)] }
}
