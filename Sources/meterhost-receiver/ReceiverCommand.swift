import ArgumentParser
import HostPrimitives

/// `meterhost-receiver`: the command of whoever runs a receiver.
struct ReceiverCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "meterhost-receiver",
    abstract: "Takes readings of gateways and stores each of them once.",
    discussion: """
      EXAMPLES
        meterhost-receiver organization add clinic --database receiver.sqlite
        meterhost-receiver user add clinic patient-1 --database receiver.sqlite
        meterhost-receiver serve --database receiver.sqlite
        meterhost-receiver user list
        meterhost-receiver serve --from tls://nats.example --seed-file main.seed \\
          --database 'postgres:///readings?host=/run/postgresql'
        meterhost-receiver fleet list

      EXIT STATUS
        0    it worked
        1    it was tried and failed
        64   the command line, the environment or a file that it names is wrong
        69   something that is needed is not there (address, database server)
        74   it was done, and standard output could not be written: do not repeat it
        130  interrupted, or a question was answered with no

      ENVIRONMENT
        METERHOST_RECEIVER_DATABASE, METERHOST_RECEIVER_DATABASE_FILE and one for
        each option of `serve`; METERHOST_LOG (trace, debug, info, notice, warning,
        error, critical, off). Where nothing names the database it is
        receiver.sqlite in the folder of the service, $STATE_DIRECTORY or
        /var/lib/meterhost-receiver.
      """,
    version: "meterhost-receiver \(ProgramVersion.current)",
    subcommands: [ServeCommand.self, UserCommand.self, OrganizationCommand.self, FleetCommand.self])
}
