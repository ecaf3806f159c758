import ArgumentParser
import MeterReceiver

/// `meterhost-receiver fleet refused`: messages that will never be readings.
struct FleetRefusedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "refused", abstract: "Show messages that were refused for good, and why.",
    discussion: """
      Their gateways have them as dead letters, where a person corrects or discards
      them. The newest thousand of each user are kept here, and go when the user is
      removed. --payload shows what was in them, which is health data.

      EXAMPLES
        meterhost-receiver fleet refused
        meterhost-receiver fleet refused --organization clinic --payload --json
      """)

  @Option(help: "Only messages of this organisation's users.")
  var organization: String?
  @Flag(help: "With the records themselves, in JSON.")
  var payload = false
  @OptionGroup var database: DatabaseOptions
  @OptionGroup var output: OutputOptions

  private struct Told: Encodable {
    var subject: String
    var messageID: String
    var reason: String
    var createdAt: String
    var payload: String?

    enum CodingKeys: String, CodingKey {
      case subject, reason, payload
      case messageID = "message_id"
      case createdAt = "created_at"
    }
  }

  func validate() throws {
    guard !payload || output.json else { throw ValidationError("--payload goes with --json.") }
  }

  func run() throws {
    let messages = try database.open().refusedMessages(organization: organization)
    let terminal = Terminal()
    if output.json {
      for message in messages {
        terminal.json(
          Told(
            subject: message.subject, messageID: message.messageID, reason: message.reason,
            createdAt: message.createdAt,
            payload: payload ? String(decoding: message.payload, as: UTF8.self) : nil))
      }
    } else if messages.isEmpty {
      terminal.error("no message was refused")
    } else {
      terminal.table(
        ["CAME", "SUBJECT", "MESSAGE", "REASON"],
        messages.map { ["\($0.createdAt.prefix(19))Z", $0.subject, $0.messageID, $0.reason] })
    }
  }
}
