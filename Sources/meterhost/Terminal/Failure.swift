import ArgumentParser
import Foundation
import MeterGateway

/// An error as the command line tells it: what happened, what to do, and an exit status.
struct Failure {
  let code: String
  let message: String
  let hint: String?
  let exitStatus: Int32

  /// Nil for what is no failure of a command: help, a version, and an exit status that a command has chosen itself.
  init?(_ error: any Error) {
    if let error = GatewayError(describing: error) {
      self.init(error.code, error.message, hint: error.hint, status: error.kind.exitStatus)
      return
    }
    if let done = error as? OutputLoss.Done {
      self.init("output_lost", done.message, hint: done.hint, status: OutputLoss.exitStatus)
      return
    }
    if error is ExitCode || error is CleanExit { return nil }
    let status = MeterHostCommand.exitCode(for: error)
    guard status != .success else { return nil }
    let isUsage = status == .validationFailure
    self.init(
      isUsage ? "usage" : "failed", isUsage ? MeterHostCommand.message(for: error) : "\(error)",
      status: isUsage ? 64 : 1)
  }

  private init(_ code: String, _ message: String, hint: String? = nil, status: Int32) {
    self.code = code
    self.message = message
    self.hint = hint
    exitStatus = status
  }

  /// Writes the error to standard error. A wrong command line is told with its usage, as the argument parser has it.
  func report(_ error: any Error, asJSON: Bool) {
    let terminal = Terminal()
    if asJSON {
      terminal.rawError(GatewayJSON.line(["error": JSONFailure(code: code, message: message, hint: hint)]))
    } else if code == "usage" {
      terminal.error(MeterHostCommand.fullMessage(for: error))
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
