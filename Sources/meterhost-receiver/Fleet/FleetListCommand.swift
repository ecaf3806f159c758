import ArgumentParser
import FleetReceiver
import HostPrimitives
import MeterReceiver
import NATSClient

/// `meterhost-receiver fleet list`: who is in the fleet, and what each gateway said last.
struct FleetListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Show the gateways and receivers, each gateway with its last word.",
    discussion: """
      The last words are the message server's: without --from, or
      METERHOST_RECEIVER_FROM, the list is that of the database alone.

      EXAMPLES
        meterhost-receiver fleet list
        meterhost-receiver fleet list --from tls://nats.example \\
          --seed-file /etc/meterhost/fleet/main.seed --json
      """)

  @Option(help: "Only gateways of this organisation.")
  var organization: String?
  @OptionGroup var server: MessageServerOptions
  @OptionGroup var database: DatabaseOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let store = try database.open()
    let keys = try store.fleetKeys(organization: organization)
    let words = try await words(store)
    let members = keys.map { key in
      var description = FleetMemberDescription(key)
      description.lastWord = words["\(key.organization ?? "").\(key.name)"]
      return description
    }
    let terminal = Terminal()
    if output.json {
      for member in members { terminal.json(member) }
    } else if members.isEmpty {
      terminal.error("the fleet is empty; `fleet add` makes keys")
    } else {
      terminal.table(
        ["NAME", "ORGANISATION", "LAST WORD", "PENDING", "HELD", "DEAD", "VERSION"], members.map { Self.row($0) })
    }
  }

  /// By organisation and gateway.
  private func words(_ store: ReceiverStore) async throws -> [String: FleetMemberDescription.Word] {
    guard server.isGiven(Environment()) else { return [:] }
    let connection = try server.connection(store)
    let words: [GatewayWord]
    do {
      words = try await LastWords.all(connection)
    } catch {
      await connection.close()
      throw error
    }
    await connection.close()
    return Dictionary(
      words.map { word in
        (
          "\(word.organization).\(word.gateway)",
          FleetMemberDescription.Word(
            at: CivilMoment.utcSeconds(microseconds: word.at * 1_000_000), pending: word.pending, held: word.held,
            dead: word.dead, version: word.version)
        )
      }, uniquingKeysWith: { $1 })
  }

  private static func row(_ member: FleetMemberDescription) -> [String] {
    let word = member.lastWord
    let numbers = [word?.pending, word?.held, word?.dead].map { $0.map { "\($0)" } ?? "-" }
    return [member.name, member.organization ?? "(receiver)", word?.at ?? "-"] + numbers + [word?.version ?? "-"]
  }
}
