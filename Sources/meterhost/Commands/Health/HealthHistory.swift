import ArgumentParser
import Foundation
import GatewayAPI
import MeterCore
import MeterHealth

extension HealthCommand {
  struct History: AsyncParsableCommand, InterruptibleCommand {
    static let configuration = CommandConfiguration(
      commandName: "history", abstract: "Take past days out of exports, whatever the session is subscribed to.",
      discussion: """
        Takes whole local days: sums of days (routine), workouts (fitness), and steps in parts of five minutes (intraday, with the sums of
        their days). The days go back 179 at most, intraday 7; more is refused before anything is read.

        When it has ended, what is new or has changed is in the queue; delivery goes on as for everything else. Exits 1 when something of an
        export is missing or damaged.

        EXAMPLES
          meterhost health history export.zip --from 2026-01-01
          meterhost health history export.zip --sets fitness --from 2026-01-01 --to 2026-01-31 --json
        """)

    @Argument(help: ArgumentHelp("Exports.", valueName: "file"), completion: .file())
    var files: [String]
    @Option(
      help: ArgumentHelp("Some of routine, fitness and intraday, with commas.", valueName: "names"),
      completion: .list(HistoryWindow.Part.allCases.map(\.rawValue)))
    var sets = "routine,fitness"
    @Option(help: ArgumentHelp("The first day (YYYY-MM-DD).", valueName: "day"))
    var from: String
    @Option(help: ArgumentHelp("The last day (YYYY-MM-DD); else today, as far as it has come.", valueName: "day"))
    var to: String?
    @Option(
      help: ArgumentHelp("The person's time zone, such as Europe/Berlin; else the session's.", valueName: "zone"))
    var zone: String?
    @Flag(help: "Import what was imported already; an older export replaces what a newer one has brought.")
    var force = false
    @Flag(help: "Leave delivery to a later command.")
    var noUpload = false
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let today = HistoryWindow.today(in: try await daysZone())
      let window = try HistoryWindow(Import.names(sets), from: from, through: to, today: today)
      var request = HealthImportRequest(files: files.map { URL(fileURLWithPath: $0).path })
      request.sets = window.sets.map(\.rawValue)
      request.processesIntraday = window.processesIntraday
      request.from = window.from
      // Left open where nothing was said: the owner knows best what day it is for the session's user.
      request.to = to
      request.zone = zone
      request.isForced = force
      request.delivers = !noUpload
      try await HealthImportView(json: output.json).follow(request, locations)
    }

    /// The zone whose days are meant.
    private func daysZone() async throws -> TimeZone {
      if let zone {
        guard let named = TimeZone(databaseName: zone) else {
          throw GatewayError(
            .usage, code: "unknown_zone", "there is no time zone \(zone)", hint: "they are named like Europe/Berlin")
        }
        return named
      }
      let session = try await locations.perform(SessionShowRequest())
      return session.zone.flatMap { TimeZone(databaseName: $0) } ?? .gateway
    }
  }
}
