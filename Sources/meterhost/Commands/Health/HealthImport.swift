import ArgumentParser
import Foundation
import GatewayAPI
import MeterCore
import MeterHealth

extension HealthCommand {
  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "import", abstract: "Read exports of health stores, and show what they come to.",
      discussion: """
        Takes export.zip of Apple Health or the export.xml in it, the zip or database of Health Connect, the folder, its zip or
        a table of Samsung Health, and JSON that automations write; what was unpacked is taken as a folder, too. The content decides, not the
        name. Only a dry run exists yet: nothing is stored or delivered. Without --all and --since the last 179 whole days are shown, and
        today.

        Each export is read by itself. Exits 0 when all of them were read whole, 1 when something of one is missing or damaged: then what was
        read is shown, and sums may be too low.

        EXAMPLES
          meterhost health import export.zip --dry-run
          meterhost health import export.zip --dry-run --all --zone Europe/Berlin --json
          meterhost health import "Health Connect.zip" --dry-run --since 2026-01-01
          meterhost health import samsunghealth_name_20260101120000 --dry-run
        """)

    // Shells complete folders with files.
    @Argument(help: ArgumentHelp("Exports: files or folders.", valueName: "export"), completion: .file())
    var files: [String]
    @Flag(help: "Only show what would be imported. Needed: nothing else exists yet.")
    var dryRun = false
    @Flag(help: "All days, not only the last 179.")
    var all = false
    @Option(
      help: ArgumentHelp("The person's time zone, such as Europe/Berlin; else this machine's.", valueName: "zone"))
    var zone: String?
    @Option(help: ArgumentHelp("This day (YYYY-MM-DD) and all after it.", valueName: "day"))
    var since: String?
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func validate() throws {
      guard !all || since == nil else { throw ValidationError("--all and --since choose days; name one of them.") }
      if let since, HealthWindow(since: since) == nil {
        throw ValidationError("--since takes a day since 2000, such as 2026-01-31.")
      }
    }

    func run() async throws {
      guard dryRun else {
        throw GatewayError(
          .usage, code: "dry_run_only", "exports cannot be stored or delivered yet, and nothing was done",
          hint: "add --dry-run to see what they come to")
      }
      let options = try options()
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
        if output.json { terminal.json(found.result) } else { HealthText(file, found, terminal).show() }
        guard found.result.isPartial else { continue }
        isPartial = true
        terminal.error("\(file): something is missing or damaged; sums may be too low. Export it again")
      }
      if isPartial { throw ExitCode(1) }
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
