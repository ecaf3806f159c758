import ArgumentParser
import GatewayAPI
import ProgramTerminal

extension Failure {
  /// Nil for what is no failure of a command: help, a version, and an exit status that a command has chosen itself.
  ///
  /// - Parameter root: The program's command, which knows how a wrong command line is told.
  init?(_ error: any Error, of root: any ParsableCommand.Type) {
    if let error = GatewayError(describing: error) {
      self.init(error)
      return
    }
    if let done = error as? OutputLoss.Done {
      self.init(code: "output_lost", message: done.message, hint: done.hint, exitStatus: OutputLoss.exitStatus)
      return
    }
    self.init(foreign: error, of: root) {
      let wrong = WrongCommandLine(error, of: root)
      return (wrong.message, wrong.hint)
    }
  }

  /// An error of the host.
  init(_ error: GatewayError) {
    self.init(code: error.code, message: error.message, hint: error.hint, exitStatus: error.kind.exitStatus)
  }

  /// Writes the error to standard error.
  func report(asJSON: Bool) {
    let terminal = Terminal()
    if asJSON {
      terminal.rawError(GatewayJSON.line(told))
    } else {
      terminal.error("\(terminal.styled("error:", .red)) \(message)")
      if let hint { terminal.error("hint: \(hint)") }
    }
  }
}
