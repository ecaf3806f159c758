import ArgumentParser
import HostErrors
import MeterReceiver
import ProgramTerminal

extension Failure {
  /// Nil for what is no failure of a command: help and a version.
  init?(_ error: any Error, of root: any ParsableCommand.Type) {
    if let error = error as? any HostError {
      let hint = (error as? ReceiverError)?.code.whatHelps ?? error.hint
      self.init(code: error.codeText, message: error.fullMessage, hint: hint, exitStatus: error.kind.exitStatus)
      return
    }
    self.init(foreign: error, of: root) {
      // The argument parser names the command whose help there is, and begins with a capital.
      let help = root.fullMessage(for: error).firstMatch(of: /See '([^'\n]+)'/).map { String($0.1) }
      let message = root.message(for: error)
      return (
        message.prefix(1).lowercased() + message.dropFirst(), "see `\(help ?? "meterhost-receiver --help")`"
      )
    }
  }

  /// Writes the error to standard error.
  func report(asJSON: Bool) {
    let terminal = Terminal()
    if asJSON {
      terminal.jsonError(told)
    } else {
      terminal.error("error: \(message)")
      if let hint { terminal.error("hint: \(hint)") }
    }
  }
}

extension ReceiverError.Code {
  /// What to do about it at this program's command line; nil where the message says it.
  fileprivate var whatHelps: String? {
    switch self {
    case .notFound: "`meterhost-receiver user list` and `organization list` show who there is"
    case .alreadyExists: "`user token` and `organization token` give another token"
    case .hasReadings: "--with-readings deletes them, too; `user suspend` keeps them and refuses new ones"
    case .databaseRefused:
      "the password belongs into ~/.pgpass or the file of --database-file, and the user into pg_hba.conf"
    case .databaseUnreachable: "is the server running, and the address right?"
    default: nil
    }
  }
}
