import ArgumentParser

/// `meterhost health`: exports of phones' health stores.
struct HealthCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "health", abstract: "Take what phones export of their health stores.",
    subcommands: [
      Import.self, History.self, Watch.self, Ingest.self, FetchLatest.self, Report.self, Subscribe.self, Sources.self,
      Vanished.self,
    ])
}
