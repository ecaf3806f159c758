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
      commandName: "start", abstract: "Start a session.",
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
      // The token first: a person who is asked for it must not block the state folder.
      let token = try TokenInput.read(file: tokenFile)
      let store = try locations.gateway().openStore()
      let account = GatewayAccount(
        user: SessionUser(userID: user, organizationID: organization), token: AccessToken(token), receiver: receiver)
      let started = try await GatewayDelivery.start(account, store: store)
      let terminal = Terminal()
      if output.json { return terminal.json(SessionDescription(started, receiver: receiver)) }
      if let ended = started.ended { terminal.error(SessionText.ended(ended)) }
      let reason = started.unvalidated.map { "; the receiver will validate it later: \($0)" }
      terminal.out("session of \(user) (\(organization)) started" + (reason ?? " and validated"))
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show the session. The token is never shown.",
      discussion: "EXAMPLE\n  meterhost session show --json")

    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() throws {
      let store = try locations.gateway().openStore()
      let description = SessionDescription(
        try store.currentSession(), receiver: try ReceiverSetting.load(from: store.folder)?.receiver)
      let terminal = Terminal()
      guard !output.json else { return terminal.json(description) }
      guard let user = description.user else {
        return terminal.out("no session: readings are held and nothing is delivered")
      }
      terminal.list([
        ("user", user), ("organization", description.organization ?? ""),
        ("receiver", description.receiver ?? "none: start the session again"),
        ("validated", description.validated ? "yes" : "not yet"),
      ])
    }
  }

  struct End: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "end", abstract: "End the session; what was not delivered is kept in a recovery file.",
      discussion: "EXAMPLE\n  meterhost session end")

    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() throws {
      guard let ended = try GatewayDelivery.end(store: locations.gateway().openStore()) else {
        throw GatewayError(
          .failed, code: "no_session", "there is no session to end", hint: "`meterhost session start --help` shows how")
      }
      let terminal = Terminal()
      output.json ? terminal.json(EndedSessionDescription(ended)) : terminal.out(SessionText.ended(ended))
    }
  }
}

private enum SessionText {
  static func ended(_ ended: EndedSession) -> String {
    let rest = ended.recoveryFile.map {
      "\(ended.unsynced.count) undelivered \(ended.unsynced.count == 1 ? "reading is" : "readings are") kept in \($0.path)"
    }
    return "session of \(ended.user.userID) ended; " + (rest ?? "everything had been delivered")
  }
}
