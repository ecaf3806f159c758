import ArgumentParser
import GatewayAPI
import MeterCore

extension HealthCommand {
  /// `meterhost health vanished`: what later exports have no more.
  struct Vanished: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "vanished", abstract: "Show what later exports have no more, and delete it at the receivers.",
      discussion: """
        A night, a workout or a measurement that an export had and a later, complete one has not has vanished: most of the time its owner
        has deleted it. What receivers have of it stays there until it is deleted by this command; nothing else ever does that.
        """, subcommands: [List.self, Delete.self], defaultSubcommand: List.self)
  }
}

extension HealthCommand.Vanished {
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List what has vanished, when it was, and which receivers have it.",
      discussion: "EXAMPLES\n  meterhost health vanished\n  meterhost health vanished list --json")

    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let records = try await locations.perform(HealthVanishedRequest())
      let terminal = Terminal()
      guard !output.json else { return records.forEach { terminal.json($0) } }
      guard !records.isEmpty else { return terminal.error("nothing has vanished") }
      terminal.table(
        ["LOG_ID", "TYPE", "WHAT", "BEGAN", "RECEIVERS", "WAITS FOR"],
        records.map { record in
          [
            record.logID, record.type ?? "", record.kind, record.start, record.receivers.joined(separator: " "),
            record.waiting.joined(separator: " "),
          ]
        })
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "delete", abstract: "Delete vanished records at the receivers, and forget them.",
      discussion: """
        Nobody can undo this; an export that has such a record again brings it as a new one. What still waits in the queue is taken back.
        Only receivers of the format inform-v2 can delete: the copies of others stay, and are told. A record whose deletion fails at a
        receiver is left as it is, and the same command tries it again.

        EXAMPLES
          meterhost health vanished delete 0b0c7d5e-2a53-8f0e-9a77-6a2f5e3f2b10
          meterhost health vanished delete 0b0c7d5e
          meterhost health vanished delete --all --json
        """)

    @Argument(help: ArgumentHelp("The records' log_ids, or the beginning of each.", valueName: "log-id"))
    var logIDs: [String] = []
    @Flag(help: "Everything that has vanished.")
    var all = false
    @OptionGroup var confirmation: ConfirmOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func validate() throws {
      guard all == logIDs.isEmpty else { throw ValidationError("LOG_IDs or --all says what is deleted.") }
    }

    func run() async throws {
      let request =
        all ? HealthVanishDeleteRequest.all : HealthVanishDeleteRequest(try await locations.vanishedIDs(logIDs))
      try await confirmation.confirm(
        all ? "Delete everything that has vanished?" : "Delete these \(logIDs.count) records?", output
      ) {
        ["receivers delete their copies"]
      }
      let outcomes = try await locations.perform(request)
      show(outcomes)
      if let failure = HealthVanishedOutcome.failure(of: outcomes) { throw failure }
    }

    private func show(_ outcomes: [HealthVanishedOutcome]) {
      let terminal = Terminal()
      guard !output.json else { return outcomes.forEach { terminal.json($0) } }
      if outcomes.isEmpty { terminal.error("nothing has vanished") }
      for outcome in outcomes where outcome.error == nil {
        let places = outcome.deleted.isEmpty ? "" : " at " + outcome.deleted.joined(separator: ", ")
        terminal.out("\(outcome.logID) is deleted\(places)")
        if !outcome.withdrawn.isEmpty {
          terminal.out("  taken back from the queue for \(outcome.withdrawn.joined(separator: ", "))")
        }
        for kept in outcome.kept {
          terminal.error("\(kept.sink) keeps its copy of \(outcome.logID): \(Self.words(kept))")
        }
      }
      for outcome in outcomes {
        if let error = outcome.error { terminal.error("\(outcome.logID) stays: \(error.message)") }
      }
    }

    private static func words(_ kept: HealthVanishedOutcome.Kept) -> String {
      switch kept.reason {
      case "cannot_delete": "it cannot delete"
      case "no_record_id": "it has never said what it calls it"
      default: kept.reason
      }
    }
  }
}
