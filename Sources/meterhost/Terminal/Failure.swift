import ArgumentParser
import Foundation
import GatewayAPI

/// An error as the command line tells it: what happened, what to do, and an exit status.
struct Failure {
  let code: String
  let message: String
  let hint: String?
  let exitStatus: Int32
  /// Nil for what is no failure of a command: help, a version, and an exit status that a command has chosen itself.
  ///
  /// - Parameter root: The program's command, which knows how a wrong command line is told.
  init?(_ error: any Error, of root: any ParsableCommand.Type) {
    if let error = GatewayError(describing: error) {
      self.init(error)
      return
    }
    if let done = error as? OutputLoss.Done {
      self.init("output_lost", done.message, hint: done.hint, status: OutputLoss.exitStatus)
      return
    }
    if error is ExitCode || error is CleanExit { return nil }
    let status = root.exitCode(for: error)
    guard status != .success else { return nil }
    guard status == .validationFailure else {
      self.init("failed", "\(error)", status: 1)
      return
    }
    let wrong = WrongCommandLine(error, of: root)
    self.init("usage", wrong.message, hint: wrong.hint, status: 64)
  }

  /// An error of the host.
  init(_ error: GatewayError) {
    self.init(error.code, error.message, hint: error.hint, status: error.kind.exitStatus)
  }

  private init(_ code: String, _ message: String, hint: String? = nil, status: Int32) {
    self.code = code
    self.message = message
    self.hint = hint
    exitStatus = status
  }

  /// Writes the error to standard error.
  func report(asJSON: Bool) {
    let terminal = Terminal()
    if asJSON {
      terminal.rawError(GatewayJSON.line(["error": JSONFailure(code: code, message: message, hint: hint)]))
    } else {
      terminal.error("\(terminal.styled("error:", .red)) \(message)")
      if let hint { terminal.error("hint: \(hint)") }
    }
  }

  private struct JSONFailure: Encodable {
    var code: String
    var message: String
    var hint: String?
  }
}
