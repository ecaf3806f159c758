import ArgumentParser
import GatewayAPI

/// `meterhost`: the command of an operator.
struct MeterHostCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "meterhost",
    abstract: "Reads health meters and delivers every reading once.",
    discussion: """
      EXAMPLES
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
        METERHOST_REGISTRY, METERHOST_REGISTRY_FRAGMENTS, METERHOST_TRUST, METERHOST_STATE, METERHOST_WORKER,
        METERHOST_AIR,
        METERHOST_LOG (trace, debug, info, notice, warning, error, critical, off; or bluetooth=debug,core=info)
      """,
    version: GatewayVersion.text,
    subcommands: [
      RunCommand.self, ConsoleCommand.self, PeripheralsCommand.self, ScanCommand.self, ReadCommand.self,
      SnapCommand.self, PairCommand.self,
      MetersCommand.self, PassiveCommand.self, KeyCommand.self, FeedbackCommand.self, MeterCommand.self,
      DriverCommand.self, SubmitCommand.self, HealthCommand.self, QueueCommand.self, EventsCommand.self,
      LogCommand.self,
      SessionCommand.self, SinkCommand.self, APICommand.self, ReceiveCommand.self, DemoCommand.self, DoctorCommand.self,
      CompletionsCommand.self,
    ])
}
