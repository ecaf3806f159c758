import ArgumentParser
import Foundation
import GatewayAPI
import MeterCore
import MeterHealth

extension HealthCommand {
  struct Import: AsyncParsableCommand, InterruptibleCommand {
    static let configuration = CommandConfiguration(
      commandName: "import", abstract: "Import exports of health stores.",
      discussion: """
        Takes export.zip of Apple Health or the export.xml in it, the zip or database of Health Connect, the folder, its zip or a
        table of Samsung Health, and JSON that automations write; what was unpacked is taken as a folder, too. The content decides, not the
        name. Without --all and --since the last 179 whole days are taken, and today.

        What the session is subscribed to goes into the queue, or what --sets names (`meterhost health subscribe list` shows the names): what
        is new, and what has changed since the last import. The same file again, or another export with the same samples, brings nothing.
        Of an export with something missing or damaged no sums are delivered: they may be too low. --dry-run only shows what an export comes
        to, and needs no session.

        Each export is read by itself. Exits 0 when all of them were read whole, 1 when something of one is missing or damaged. Ctrl-C ends an
        import; what is in the queue stays, and the same import later brings the rest.

        EXAMPLES
          meterhost health import export.zip
          meterhost health import export.zip --sets routine,sleep --since 2026-01-01
          meterhost health import export.zip --dry-run --all --zone Europe/Berlin --json
          meterhost health import samsunghealth_name_20260101120000 --sets sleep
        """)

    // Shells complete folders with files.
    @Argument(help: ArgumentHelp("Exports: files or folders.", valueName: "export"), completion: .file())
    var files: [String]
    @Flag(help: "Only show what the exports come to; nothing is stored or delivered.")
    var dryRun = false
    @Option(
      help: ArgumentHelp(
        "Subscription sets and sample types, with commas; else what the session is subscribed to.", valueName: "names"))
    var sets: String?
    @Flag(help: "Take steps in parts of five minutes, too, of the last seven days.")
    var intraday = false
    @Flag(help: "All days, not only the last 179.")
    var all = false
    @Option(
      help: ArgumentHelp("The person's time zone, such as Europe/Berlin; else the session's.", valueName: "zone"))
    var zone: String?
    @Option(help: ArgumentHelp("This day (YYYY-MM-DD) and all after it.", valueName: "day"))
    var since: String?
    @Flag(help: "Import what was imported already; an older export replaces what a newer one has brought.")
    var force = false
    @Flag(help: "Leave delivery to a later command.")
    var noUpload = false
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func validate() throws {
      guard !all || since == nil else { throw ValidationError("--all and --since choose days; name one of them.") }
      if let since, HealthWindow(since: since) == nil {
        throw ValidationError("--since takes a day since 2000, such as 2026-01-31.")
      }
      guard !intraday || sets != nil else { throw ValidationError("--intraday belongs to --sets.") }
    }

    func run() async throws {
      guard dryRun else { return try await importAll() }
      let options = try options()
      let wanted = try sets.map { try HealthSubscription(names: Self.names($0), processesIntraday: intraday) }
      let importer = try locations.healthImporter()
      let terminal = Terminal()
      var isPartial = false
      for file in files {
        let bar = HealthProgress(file, terminal)
        let found: HealthImporter.Outcome
        do {
          found = try await importer.read(HealthExport(path: file), options) { bar.show($0) }
        } catch {
          terminal.endProgress()
          throw error
        }
        terminal.endProgress()
        let result = wanted.map { found.result.restricted(to: $0) } ?? found.result
        if output.json { terminal.json(result) } else { HealthText(file, found, result, terminal).show() }
        guard found.result.isPartial else { continue }
        isPartial = true
        terminal.error("\(file): something is missing or damaged; sums may be too low. Export it again")
      }
      if isPartial { throw ExitCode(1) }
    }

    private func importAll() async throws {
      var request = HealthImportRequest(files: files.map { URL(fileURLWithPath: $0).path })
      request.sets = sets.map(Self.names)
      request.processesIntraday = intraday ? true : nil
      request.from = since
      request.takesAll = all
      request.zone = zone
      request.isForced = force
      request.delivers = !noUpload
      try await HealthImportView(json: output.json).follow(request, locations)
    }

    /// Names that stand behind one option.
    static func names(_ text: String) -> [String] {
      text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    private func options() throws(GatewayError) -> HealthImporter.Options {
      var options = HealthImporter.Options()
      if all { options.window = .all }
      if let window = since.flatMap({ HealthWindow(since: $0) }) { options.window = window }
      guard let zone else { return options }
      guard let named = TimeZone(databaseName: zone) else {
        throw GatewayError(
          .usage, code: "unknown_zone", "there is no time zone \(zone)", hint: "they are named like Europe/Berlin")
      }
      options.zone = named
      return options
    }
  }
}
