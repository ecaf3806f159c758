import ArgumentParser
import MeterReceiver

/// `meterhost-receiver fleet remove`: a key is no more of the fleet.
struct FleetRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Take a gateway or receiver out of the fleet.",
    discussion: """
      Its readings stay. The message server lets it in until `fleet config` has
      written its file anew and the server has read it.

      EXAMPLES
        meterhost-receiver fleet remove --organization clinic gw0001
        meterhost-receiver fleet remove --receiver main --json
      """)

  @Argument(help: "The name of the gateway or receiver.")
  var name: String
  @OptionGroup var member: FleetMemberOptions
  @OptionGroup var database: DatabaseOptions
  @OptionGroup var output: OutputOptions

  private struct Removed: Encodable {
    var name: String
    var organization: String?
    var removed = true
  }

  func run() throws {
    try database.open().removeFleetKey(organization: member.organization, name: name)
    let terminal = Terminal()
    output.json
      ? terminal.json(Removed(name: name, organization: member.organization))
      : terminal.error("\(name) is out of the fleet, once the message server has read what `fleet config` writes")
  }
}
