import ArgumentParser

/// `meterhost-receiver fleet`: gateways that send their readings through a message server.
struct FleetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet",
    abstract: "Gateways that send readings through a message server (NATS), and that server's configuration.",
    discussion: """
      docs/run-a-fleet.md is the guide. The fleet is in the receiver's database;
      seeds are in files that are made once and kept nowhere else.
      """,
    subcommands: [
      FleetListCommand.self, FleetAddCommand.self, FleetRemoveCommand.self, FleetConfigCommand.self,
      FleetProvisionCommand.self, FleetRefusedCommand.self,
    ], defaultSubcommand: FleetListCommand.self)
}
