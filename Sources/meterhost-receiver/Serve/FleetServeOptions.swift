import ArgumentParser
import FleetReceiver
import HostErrors
import Logging
import MeterReceiver
import NATSClient

/// How a receiver takes readings from a fleet's message server. Each option has a variable of its name for the unit.
struct FleetServeOptions: ParsableArguments {
  @OptionGroup(title: "Message server") var server: MessageServerOptions
  @Option(help: "How many batches of messages are dealt with at the same time; 2.")
  var workers: Int?
  @Option(help: ArgumentHelp("The most messages in a batch, which is one transaction; 500.", valueName: "number"))
  var batch: Int?

  /// What takes the readings; nil where no message server is named.
  ///
  /// - Throws: As ``MessageServerOptions/connection(_:_:)`` does, and ``ProgramError`` `batch`.
  func intake(
    _ store: ReceiverStore, _ configuration: ReceiverConfiguration, _ environment: Environment, logger: Logger
  ) throws -> FleetIntake? {
    guard server.isGiven(environment) else { return nil }
    var options = FleetConsumer.Options()
    options.workers = try workers ?? environment.number("workers") ?? options.workers
    options.batch = try batch ?? environment.number("batch") ?? options.batch
    guard (1...16).contains(options.workers), (1...1000).contains(options.batch) else {
      throw ProgramError(.usage, code: "batch", "there are 1 to 16 --workers, and 1 to 1000 messages in a --batch")
    }
    let connection = try server.connection(store, environment)
    let consumer = FleetConsumer(
      connection, store: store, rules: FleetRules(configuration), options: options, logger: logger)
    return FleetIntake(
      connection: connection, consumer: consumer, servers: server.servers(environment).joined(separator: " "))
  }
}

/// A consumer with its connection.
struct FleetIntake: Sendable {
  let connection: NATSConnection
  let consumer: FleetConsumer
  /// For people.
  let servers: String

  /// Takes readings until the task is cancelled.
  func run() async {
    await consumer.run()
    await connection.close()
  }
}
