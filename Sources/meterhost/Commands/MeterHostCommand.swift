import ArgumentParser
import GatewayAPI

/// `meterhost`: the command of an operator.
struct MeterHostCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "meterhost",
    abstract: "Reads health meters and delivers every reading once.",
    discussion: """
      EXAMPLES
        meterhost setup                         from nothing to the first reading, step by step
        meterhost demo                          read virtual meters and see what a receiver stores
        meterhost peripherals list              which meters can be read
        meterhost session start --user u1 --organization o1 --receiver http://127.0.0.1:8080 --token-file token
        meterhost scan                          which meters are in the air
        meterhost read 1000                     read a glucose meter
        meterhost snap read --peripheral 10001  read a meter's display with a camera
        meterhost queue list                    what waits for delivery
        meterhost health import export.zip --dry-run
                                                what a phone's health export comes to

      EXIT STATUS
        0    it worked
        1    it was tried and failed
        64   the command line is wrong
        69   something that is needed is not there (registry, radio, receiver)
        74   it was done, and standard output could not be written: do not do it again
        75   trying again later may work (busy, nothing heard in time)
        130  interrupted

      ENVIRONMENT
        METERHOST_CONFIG    the configuration file; /etc/meterhost/meterhost.toml without it
        METERHOST_STATE, METERHOST_REGISTRY, METERHOST_REGISTRY_FRAGMENTS, METERHOST_TRUST, METERHOST_WORKER, METERHOST_AIR
                            what the options say; `meterhost config show` shows what holds
        METERHOST_LOG       what is logged (trace, debug, info, notice, warning, error, critical, off; or bluetooth=debug,core=info)
      """,
    version: GatewayVersion.text,
    groupedSubcommands: [
      CommandGroup(
        name: "Read",
        subcommands: [
          ScanCommand.self, PairCommand.self, ReadCommand.self, PassiveCommand.self, MetersCommand.self,
          SnapCommand.self, HealthCommand.self, SubmitCommand.self,
        ]),
      CommandGroup(
        name: "Deliver",
        subcommands: [
          SessionCommand.self, SinkCommand.self, QueueCommand.self, FHIRCommand.self, APICommand.self,
          EventsCommand.self,
        ]),
      CommandGroup(
        name: "Gateway",
        subcommands: [
          SetupCommand.self, RunCommand.self, ConsoleCommand.self, ConfigCommand.self, DoctorCommand.self,
          LogCommand.self,
          MetricsCommand.self, FeedbackCommand.self, KeyCommand.self, BackupCommand.self, RestoreCommand.self,
          CompletionsCommand.self,
        ]),
      CommandGroup(name: "Meters and drivers", subcommands: [PeripheralsCommand.self, DriverCommand.self]),
      CommandGroup(
        name: "Try out", subcommands: [DemoCommand.self, MeterCommand.self, ReceiveCommand.self, FleetCommand.self]),
    ])
}
