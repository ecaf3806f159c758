import ArgumentParser
import GatewayAPI

extension HealthCommand {
  struct Report: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "report", abstract: "Show what came of imports.",
      discussion: """
        Lists the session's imports, the newest first; with a number one of them: what was read, what it has brought, and what was refused
        and why, with the first place of each reason. It shows no health value.

        EXAMPLES
          meterhost health report
          meterhost health report 12 --json
        """)

    @Argument(help: "One import by its number.")
    var number: Int64?
    @Option(help: ArgumentHelp("At most so many imports.", valueName: "number"))
    var limit = 20
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func validate() throws {
      guard (1...1_000).contains(limit) else { throw ValidationError("--limit takes 1 to 1000.") }
    }

    func run() async throws {
      let imports = try await locations.perform(HealthReportRequest(number: number, limit: limit))
      let terminal = Terminal()
      if output.json { return imports.forEach { terminal.json($0) } }
      if number != nil { return imports.forEach { HealthImportView(json: false).show($0) } }
      guard !imports.isEmpty else { return terminal.out("nothing was imported in this session") }
      terminal.table(
        ["IMPORT", "BEGAN", "STATE", "FORMAT", "NEW", "CHANGED", "REFUSED", "FILE"],
        imports.map { item in
          [
            item.number.map { "\($0)" } ?? "", item.began ?? "", item.state, item.format ?? "",
            "\(item.new.values.reduce(0, +))", "\(item.revised.values.reduce(0, +))", "\(item.refused)", item.file,
          ]
        })
    }
  }
}
