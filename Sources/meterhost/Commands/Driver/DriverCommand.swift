import ArgumentParser

/// `meterhost driver`: the installed drivers.
struct DriverCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "driver", abstract: "Show, check, try, pack and install drivers.",
    subcommands: [
      List.self, Show.self, Why.self, Verify.self, Decode.self, Call.self, Test.self, Replay.self, Recordings.self,
      ImportCapture.self, Quarantine.self, New.self, Fuzz.self,
      Pack.self, Key.self, Sign.self, Index.self, Install.self, Update.self, Source.self, Rollback.self, Enable.self,
      Disable.self, Remove.self,
      Trust.self,
    ], defaultSubcommand: List.self)
}
