import ArgumentParser
import Foundation
import MeterCore
import GatewayAPI

/// `meterhost session`: whose readings they are and where they go.
struct SessionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "session", abstract: "Say whose readings they are and where they go.",
    subcommands: [Start.self, Show.self, Body.self, Sink.self, End.self, Recover.self], defaultSubcommand: Show.self)

  struct Start: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "start", abstract: "Start a session.",
      discussion: """
        The same user keeps the queue; another user's session ends first, and what it had not delivered goes to a recovery
        file. With the receiver out of reach the session starts unvalidated and is validated later. A token is never taken from the command
        line, where other users of the machine would see it. Certificates are verified always; --ca-file names another authority.

        EXAMPLES
          meterhost session start --user u1 --organization o1 --receiver https://receiver.example --token-file token
          pass show receiver-token | meterhost session start --user u1 --organization o1 --receiver https://receiver.example
          meterhost session start --user u1 --organization o1 --kind file --set folder=/srv/readings
          meterhost session start --user u1 --organization o1 --receiver https://receiver.example --token-file token \
            --zone Europe/Berlin --ca-file authority.pem --client-certificate gateway.pem --client-key gateway.key --rate 2
        """)

    @Option(help: "The user's id.")
    var user: String
    @Option(help: "The organisation's id.")
    var organization: String
    @Option(
      help: ArgumentHelp(
        "The user's time zone, such as Europe/Berlin: that of meters and records without one. Without it as before, or the gateway's.",
        valueName: "zone"))
    var zone: String?
    @OptionGroup var receiver: ReceiverOptions
    @OptionGroup var other: SinkSettingOptions
    @OptionGroup var subject: SubjectOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      // The token first: a person who is asked for it must not block the state folder.
      let (token, setting) = (try await token(), try await setting())
      let request = SessionStartRequest(
        user: user, organization: organization, token: token, kind: other.kind, setting: setting, zone: zone,
        confirmed: try await confirmed(token, setting))
      let started = try await locations.perform(request)
      let terminal = Terminal()
      if output.json { return terminal.json(started) }
      if let ended = started.ended { terminal.error(SessionText.ended(ended)) }
      let reason = started.reason.map { "; the receiver will validate it later: \($0)" }
      terminal.out("session of \(user) (\(organization)) started" + (reason ?? " and validated"))
      if let problem = started.zoneProblem { terminal.error("\(problem); --zone names the user's") }
    }

    /// The setting: of Inform's by options of its own, of any kind by --set.
    private func setting() async throws -> [String: SettingValue] {
      guard !other.members.isEmpty || receiver.receiver == nil && other.kind != "inform" else {
        return try receiver.values()
      }
      guard receiver.receiver == nil, !receiver.saysMore else {
        throw GatewayError(
          .usage, code: "sink_setting", "--receiver with its options and --set both say how the receiver is reached",
          hint: "say all of it with --set, or nothing: `meterhost sink kinds` lists what there is")
      }
      return try await other.values(of: other.description(locations))
    }

    /// What a person has confirmed of whose readings the receiver would get; Inform's token says it.
    private func confirmed(_ token: String?, _ setting: [String: SettingValue]) async throws -> String? {
      guard other.kind != "inform" else { return nil }
      let kind = try await other.description(locations)
      return try await subject.confirmed(kind, token: token, setting: setting, output, locations)
    }

    private func token() async throws -> String? {
      guard other.kind != "inform" else { return try receiver.token() }
      let kind = try await other.description(locations)
      return kind.token == "none" || kind.token == "optional" && receiver.tokenFile == nil ? nil : try receiver.token()
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show the session. The token is never shown.",
      discussion: "EXAMPLE\n  meterhost session show --json")

    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let description = try await locations.perform(SessionShowRequest())
      let terminal = Terminal()
      guard !output.json else { return terminal.json(description) }
      guard let user = description.user else {
        return terminal.out("no session: readings are held and nothing is delivered")
      }
      var lines = [
        ("user", user), ("organization", description.organization ?? ""),
        ("receiver", description.receiver ?? "none: start the session again"),
        ("format", description.format ?? ""), ("zone", description.zoneProblem ?? description.zone ?? "the gateway's"),
        ("validated", description.validated ? "yes" : "not yet"),
        ("body", description.body.map(SessionText.body) ?? "not said: nothing is computed of weighings"),
      ]
      for sink in description.sinks ?? [] { lines.append(("also to", "\(sink.name): \(sink.receiver), \(sink.token)")) }
      for (sink, seconds) in (description.clockSkew ?? [:]).sorted(by: { $0.key < $1.key }) {
        lines.append(("clock", SessionText.skew(seconds, of: sink)))
      }
      terminal.list(lines)
    }
  }

  struct End: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "end", abstract: "End the session; what was not delivered is kept in a recovery file.",
      discussion: """
        With --forget-meters, bonds, keys of single meters and what drivers keep of a meter go, too, for all meters of this gateway: a meter
        must be paired again. Whose the meters were is forgotten with it: a later user who reads with --history gets all that a meter holds.

        EXAMPLES
          meterhost session end
          meterhost session end --forget-meters
        """)

    @Flag(help: "Forget bonds, keys and owners of all meters of this gateway, too.")
    var forgetMeters = false
    @OptionGroup var confirmation: ConfirmOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      try await confirmation.confirm("End the session?", output) { try await lost() }
      let ended = try await locations.perform(SessionEndRequest(forgetsMeters: forgetMeters))
      let terminal = Terminal()
      output.json ? terminal.json(ended) : terminal.out(SessionText.ended(ended))
    }

    /// What a person is shown of it.
    private func lost() async throws -> [String] {
      let session = try await locations.perform(SessionShowRequest())
      let queue = try await locations.perform(QueueListRequest(limit: 1)).limits
      var lines = [
        "the session of \(session.user ?? "nobody") (\(session.organization ?? "")), with its receivers and tokens"
      ]
      if queue.usedRecords > 0 {
        lines.append("up to \(queue.usedRecords) readings that are not delivered go into a recovery file")
      }
      if forgetMeters {
        let meters = try await locations.perform(MetersListRequest())
        lines.append("bonds, keys and owners of all \(meters.count) meters go; each has to be paired again")
      }
      return lines
    }
  }
}

enum SessionText {
  /// How far a receiver's clock is ahead.
  static func skew(_ seconds: Int, of sink: String) -> String {
    let name = sink == MeterStore.defaultSink ? "the receiver's" : "that of \(sink)"
    return seconds == 0 ? "\(name) agrees" : "\(name) is \(abs(seconds)) s \(seconds > 0 ? "ahead" : "behind")"
  }

  static func ended(_ ended: EndedSessionDescription) -> String {
    let images = ended.unsyncedImages == 0 ? "" : " and \(ended.unsyncedImages) images"
    let rest = ended.recoveryFile.map {
      "\(ended.unsynced) undelivered \(ended.unsynced == 1 ? "reading" : "readings")\(images) are kept in \($0)"
    }
    return "session of \(ended.user) ended; " + (rest ?? "everything had been delivered")
  }
}
