import ArgumentParser
import HostErrors
import MeterReceiver

/// An error as the program tells it: what happened, what to do, and an exit status.
struct Failure {
  let exitStatus: Int32
  private let described: Described

  private struct Described: Encodable {
    var code: String
    var message: String
    var hint: String?
  }

  /// Nil for what is no failure of a command: help and a version.
  init?(_ error: any Error, of root: any ParsableCommand.Type) {
    if let error = error as? any HostError {
      exitStatus = error.kind.exitStatus
      let hint = (error as? ReceiverError)?.code.whatHelps ?? error.hint
      described = Described(code: error.codeText, message: error.fullMessage, hint: hint)
      return
    }
    if error is ExitCode || error is CleanExit { return nil }
    let status = root.exitCode(for: error)
    guard status != .success else { return nil }
    guard status == .validationFailure else {
      exitStatus = 1
      described = Described(code: "failed", message: "\(error)")
      return
    }
    exitStatus = 64
    // The argument parser names the command whose help there is, and begins with a capital.
    let help = root.fullMessage(for: error).firstMatch(of: /See '([^'\n]+)'/).map { String($0.1) }
    let message = root.message(for: error)
    described = Described(
      code: "usage", message: message.prefix(1).lowercased() + message.dropFirst(),
      hint: "see `\(help ?? "meterhost-receiver --help")`")
  }

  /// Writes the error to standard error.
  func report(asJSON: Bool) {
    let terminal = Terminal()
    if asJSON {
      terminal.jsonError(["error": described])
    } else {
      terminal.error("error: \(described.message)")
      if let hint = described.hint { terminal.error("hint: \(hint)") }
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
