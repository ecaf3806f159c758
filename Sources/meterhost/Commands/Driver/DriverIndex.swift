import ArgumentParser
import GatewayAPI
import GatewayTools
import HostPrimitives
import MeterDrivers

extension DriverCommand {
  struct Index: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "index", abstract: "Write and sign the index of a folder of packages.",
      discussion: """
        Serve the folder as it is, over https: gateways fetch index.json, index.json.sig and packages, and nothing runs there. An index
        ends after --days, so that a gateway notices when newer ones are kept from it: make a new one in good time, with the same command.
        What is not named again, such as percentages, stays as it was; a revocation is never taken back.

        EXAMPLES
          meterhost driver index public --key publisher.key
          meterhost driver index public --key index.key --percentage org.example.scale@1.1.0=10 \\
            --changelog "org.example.scale@1.1.0=Reads the second user, too."
          meterhost driver index public --key index.key --revoke "org.example.scale@1.1.0=It loses readings."
        """)

    @Argument(help: ArgumentHelp("The folder with the signed packages.", valueName: "dir"), completion: .directory)
    var folder: String
    @Option(
      help: ArgumentHelp("The file with the key to sign with; may be given again.", valueName: "file"),
      completion: .file())
    var key: [String]
    @Option(help: ArgumentHelp("How many days it counts, 1 to 400.", valueName: "days"))
    var days = 30
    @Option(help: ArgumentHelp("What has changed: ID@VERSION=TEXT; may be given again.", valueName: "text"))
    var changelog: [String] = []
    @Option(
      help: ArgumentHelp(
        "On how many of 100 gateways a version is installed by itself: ID@VERSION=NUMBER; may be given again.",
        valueName: "share"))
    var percentage: [String] = []
    @Option(
      help: ArgumentHelp(
        "The oldest MeterHost for a version: ID@VERSION=VERSION; may be given again.", valueName: "host"))
    var host: [String] = []
    @Option(help: ArgumentHelp("A version for those who try it: ID@VERSION; may be given again.", valueName: "version"))
    var beta: [String] = []
    @Option(
      help: ArgumentHelp(
        "A version that nobody is to use any more: ID@VERSION=REASON; may be given again.", valueName: "version"))
    var revoke: [String] = []
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard (1...400).contains(days) else { throw ValidationError("--days takes 1 to 400.") }
      _ = try wishes()
    }

    func run() throws {
      let index = try GatewayIndex(folder: folder).write(keys: key, try wishes(), now: SystemClock().unixMicroseconds)
      let terminal = Terminal()
      guard !output.json else { return terminal.json(index) }
      terminal.out("\(index.file): index \(index.number) until \(index.expires)")
      for package in index.packages {
        let channel = package.channel == "stable" ? "" : ", \(package.channel)"
        terminal.out("  \(package.name) \(package.version), \(package.percentage) of 100\(channel)")
      }
      for revoked in index.revoked {
        terminal.out("  \(revoked.package) \(revoked.version) revoked: \(revoked.reason)")
      }
    }

    private func wishes() throws -> GatewayIndex.Wishes {
      var wishes = GatewayIndex.Wishes()
      wishes.days = days
      wishes.beta = beta
      for text in changelog {
        let (name, words) = try Self.pair(text, "--changelog")
        wishes.changelogs[name] = words
      }
      for text in percentage {
        let (name, number) = try Self.pair(text, "--percentage")
        guard let share = Int(number), (0...100).contains(share) else {
          throw ValidationError("--percentage takes ID@VERSION=NUMBER with a number from 0 to 100.")
        }
        wishes.percentages[name] = share
      }
      for text in host {
        let (name, version) = try Self.pair(text, "--host")
        guard let oldest = SemanticVersion(version) else {
          throw ValidationError("--host takes ID@VERSION=VERSION with a version such as 1.2.0.")
        }
        wishes.hosts[name] = oldest
      }
      for text in revoke {
        let (name, reason) = try Self.pair(text, "--revoke")
        guard !reason.isEmpty else { throw ValidationError("--revoke needs the reason: ID@VERSION=REASON.") }
        wishes.revoked[name] = reason
      }
      return wishes
    }

    private static func pair(_ text: String, _ option: String) throws -> (String, String) {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw ValidationError(
          "\(option) takes a version and a value with = between them, such as org.example.scale@1.1.0=...")
      }
      return (parts[0], parts[1])
    }
  }
}
