import ArgumentParser
import FleetReceiver
import HostErrors
import MeterReceiver
import NATSClient

/// `meterhost-receiver fleet provision`: the streams and the consumer at the message server.
struct FleetProvisionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "provision", abstract: "Make the message server's streams and consumer, or check that they are right.",
    discussion: """
      Makes the stream READINGS, the stream STATES and the consumer postgres where
      they are missing. What is there and otherwise is told, and changed only with
      --update. A cluster of three wants --replicas 3.

      EXAMPLES
        meterhost-receiver fleet provision --from tls://nats.example \\
          --seed-file main.seed --replicas 3
        meterhost-receiver fleet provision --from tls://nats.example \\
          --seed-file main.seed --replicas 3 --update --json
      """)

  @Option(help: "On how many servers each message lies: 1, 3 or 5.")
  var replicas = 1
  @Option(help: ArgumentHelp("The most that the readings may take on disk; 1024.", valueName: "megabytes"))
  var size = 1024
  @Option(help: "How many days the server keeps readings; 14.")
  var days = 14
  @Flag(help: "Change what is there and otherwise.")
  var update = false
  @OptionGroup var server: MessageServerOptions
  @OptionGroup var database: DatabaseOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard [1, 3, 5].contains(replicas) else { throw ValidationError("--replicas is 1, 3 or 5.") }
    guard (1...(1 << 24)).contains(size) else { throw ValidationError("--size is 1 to 16777216.") }
    guard (1...3650).contains(days) else { throw ValidationError("--days is 1 to 3650.") }
  }

  private struct Told: Encodable {
    struct Difference: Encodable {
      var member: String
      var found: String
      var wanted: String
    }

    var kind: String
    var name: String
    var outcome: String
    var differences: [Difference]
  }

  func run() async throws {
    let connection = try server.connection(try database.open())
    let settings = FleetSettings(replicas: Int64(replicas), maxBytes: Int64(size) << 20, days: Int64(days))
    let results: [FleetProvision.Result]
    do {
      results = try await FleetProvision(connection, settings).run(updates: update)
    } catch {
      await connection.close()
      throw error
    }
    await connection.close()
    for result in results { tell(result) }
    guard !results.contains(where: { $0.outcome == .different }) else {
      throw ProgramError(
        .failed, code: "fleet_differs",
        "the message server has streams or a consumer that are otherwise; nothing of them was changed",
        hint: "give the --replicas, --size and --days that they were made with, or --update")
    }
  }

  private func tell(_ result: FleetProvision.Result) {
    let terminal = Terminal()
    guard output.json else {
      terminal.out("\(result.part.words): \(result.outcome.rawValue)")
      for each in result.differences { terminal.out("  \(each.member) is \(each.found), not \(each.wanted)") }
      return
    }
    let kind = if case .stream = result.part { "stream" } else { "consumer" }
    terminal.json(
      Told(
        kind: kind, name: result.part.name, outcome: result.outcome.rawValue,
        differences: result.differences.map { .init(member: $0.member, found: $0.found, wanted: $0.wanted) }))
  }
}
