import ArgumentParser
import HostErrors
import MeterReceiver
import NATSClient

/// `meterhost-receiver fleet add`: keys for gateways and receivers.
struct FleetAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Make a key for each gateway or receiver, and write its seed to a file.",
    discussion: """
      Each seed is written to NAME.seed, which only this user can read, and is
      nowhere else: take it to its gateway, and delete it here. The message server
      learns of the keys by `fleet config`. A name is one gateway's or receiver's in
      the whole fleet.

      EXAMPLES
        meterhost-receiver fleet add --organization clinic gw0001 gw0002 \\
          --folder seeds
        meterhost-receiver fleet add --receiver main --folder /etc/meterhost/fleet
        meterhost-receiver fleet add --organization clinic gw0003 --json
      """)

  @Argument(help: "The names of the gateways or receivers: letters, digits, - and _.")
  var names: [String]
  @OptionGroup var member: FleetMemberOptions
  @Option(help: ArgumentHelp("Where the seeds are written; here.", valueName: "folder"), completion: .directory)
  var folder = "."
  @OptionGroup var database: DatabaseOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    try member.check(names)
    let store = try database.open()
    let pairs = names.map { (name: $0, pair: NATSKeyPair()) }
    let files = try SeedFiles.write(pairs.map { ($0.name, $0.pair.seed) }, to: folder)
    do {
      try store.addFleetKeys(
        organization: member.organization, pairs.map { ($0.name, $0.pair.publicKey.description) })
    } catch {
      files.remove()
      throw error
    }
    let terminal = Terminal()
    for (index, each) in pairs.enumerated() {
      let description = FleetMemberDescription(
        organization: member.organization, name: each.name, publicKey: each.pair.publicKey.description,
        seedFile: files.paths[index])
      output.json ? terminal.json(description) : terminal.out("\(each.name)  \(description.seedFile ?? "")")
    }
    if !output.json {
      terminal.error("the seeds are in these files alone; `fleet config` lets the message server know the keys")
    }
  }
}
