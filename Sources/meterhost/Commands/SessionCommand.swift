import ArgumentParser
import Foundation
import MeterCore
import MeterGateway

/// `meterhost session`: whose readings they are and where they go.
struct SessionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "session", abstract: "Say whose readings they are and where they go.",
    subcommands: [Start.self, Show.self, End.self], defaultSubcommand: Show.self)

  struct Start: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Start a session.",
      discussion: """
        The same user keeps the queue; another user's session ends first, and what it had not delivered goes to a recovery
        file. With the receiver out of reach the session starts unvalidated and is validated later. A token is never taken from the command
        line, where other users of the machine would see it.

        EXAMPLES
          meterhost session start --user u1 --organization o1 --receiver https://receiver.example --token-file token
          pass show receiver-token | meterhost session start --user u1 --organization o1 --receiver https://receiver.example
        """)

    @Option(help: "The user's id.")
    var user: String
    @Option(help: "The organisation's id.")
    var organization: String
    @Option(help: ArgumentHelp("The receiver's address; https, or http on this machine.", valueName: "url"))
    var receiver: String
    @Option(
      help: ArgumentHelp("Read the access token from this file instead of standard input.", valueName: "file"),
      completion: .file())
    var tokenFile: String?
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let store = try locations.gateway().openStore()
      let token = try TokenInput.read(file: tokenFile)
      let account = GatewayAccount(
        user: SessionUser(userID: user, organizationID: organization), token: AccessToken(token), receiver: receiver)
      let started = try await GatewayDelivery.start(account, store: store)
      let terminal = Terminal()
      if let ended = started.ended { terminal.error(SessionText.ended(ended)) }
      if output.json { return terminal.out(Terminal.json(SessionDescription(started.session, receiver: receiver))) }
      terminal.out(
        started.session.isValidated
          ? "session of \(user) (\(organization)) started and validated"
          : "session of \(user) (\(organization)) started; the receiver is out of reach and will validate it later")
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show the session. The token is never shown.")

    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() throws {
      let store = try locations.gateway().openStore()
      let description = SessionDescription(
        try store.currentSession(), receiver: try ReceiverSetting.load(from: store.folder)?.receiver)
      let terminal = Terminal()
      guard !output.json else { return terminal.out(Terminal.json(description)) }
      guard let user = description.user else {
        return terminal.out("no session: readings are held and nothing is delivered")
      }
      terminal.out("user          \(user)")
      terminal.out("organization  \(description.organization ?? "")")
      terminal.out("receiver      \(description.receiver ?? "none")")
      terminal.out("validated     \(description.validated ? "yes" : "not yet")")
    }
  }

  struct End: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End the session; what was not delivered is kept in a recovery file.")

    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() throws {
      guard let ended = try locations.gateway().openStore().endSession() else {
        throw GatewayError(.failed, code: "no_session", "there is no session to end")
      }
      let terminal = Terminal()
      output.json ? terminal.out(Terminal.json(EndedDescription(ended))) : terminal.out(SessionText.ended(ended))
    }
  }
}

/// Where a token comes from.
private enum TokenInput {
  static let maximumLength = 4096

  static func read(file: String?) throws(GatewayError) -> String {
    if file == nil, isatty(STDIN_FILENO) == 1 { Terminal().error("token (ends with Ctrl-D):") }
    let handle = file.map { FileHandle(forReadingAtPath: $0) } ?? FileHandle.standardInput
    guard let handle, let data = try? handle.read(upToCount: maximumLength + 1) else {
      throw GatewayError(.usage, code: "token_file", "the token file \(file ?? "") cannot be read")
    }
    let token = String(bytes: data, encoding: .utf8)?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
    guard !token.isEmpty, data.count <= maximumLength, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw GatewayError(
        .usage, code: "token", "that is no access token: it must be one word of printable ASCII",
        hint: "give it with --token-file, or on standard input")
    }
    return token
  }
}

private enum SessionText {
  static func ended(_ ended: EndedSession) -> String {
    let rest = ended.recoveryFile.map { "\(ended.unsynced.count) undelivered readings are kept in \($0.path)" }
    return "session of \(ended.user.userID) ended; " + (rest ?? "everything had been delivered")
  }
}

private struct EndedDescription: Encodable {
  var user: String
  var organization: String
  var unsynced: Int
  var recovery_file: String?

  init(_ ended: EndedSession) {
    user = ended.user.userID
    organization = ended.user.organizationID
    unsynced = ended.unsynced.count
    recovery_file = ended.recoveryFile?.path
  }
}
