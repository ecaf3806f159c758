import ArgumentParser
import FleetReceiver
import Foundation
import HostErrors
import MeterReceiver

/// `meterhost-receiver fleet config`: the message server's files.
struct FleetConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Write the message server's configuration: who may do what.",
    discussion: """
      Writes users.conf with every key and its permissions, anew each time, and
      nats-server.conf, which includes it, only where there is none: that one is
      yours from then on. A server reads users.conf anew on SIGHUP, and drops no
      connection (`nats-server --signal reload`). Neither file holds a secret.

      EXAMPLES
        meterhost-receiver fleet config /etc/nats
        meterhost-receiver fleet config /etc/nats --server-name n1 \\
          --route n2.example:6222 --route n3.example:6222
        meterhost-receiver fleet config /etc/nats --json
      """)

  @Argument(help: "The folder of the server's configuration.", completion: .directory)
  var folder: String
  @Option(help: ArgumentHelp("The server's name in its cluster, in a new nats-server.conf.", valueName: "name"))
  var serverName = "n1"
  @Option(help: ArgumentHelp("Another server of the cluster, in a new nats-server.conf.", valueName: "host:port"))
  var route: [String] = []
  @OptionGroup var database: DatabaseOptions
  @OptionGroup var output: OutputOptions

  private struct Written: Encodable {
    var usersFile: String
    var serverFile: String
    var isNew: Bool
    var gateways: Int
    var receivers: Int

    enum CodingKeys: String, CodingKey {
      case gateways, receivers
      case usersFile = "users_file"
      case serverFile = "server_file"
      case isNew = "server_file_made"
    }
  }

  func run() throws {
    for text in route + [serverName] where text.contains(where: { !Self.isPlain($0) }) {
      throw ValidationError("'\(text.prefix(60))' is no name of a server.")
    }
    let folder = URL(fileURLWithPath: folder).standardizedFileURL.path
    guard !folder.contains(where: { $0 == "\"" || $0 == "\\" || $0.isNewline }) else {
      throw ValidationError("The folder's path has a character that the server's file cannot have.")
    }
    let keys = try database.open().fleetKeys()
    let (users, server) = ("\(folder)/users.conf", "\(folder)/nats-server.conf")
    let isNew = !FileManager.default.fileExists(atPath: server)
    try Self.write(ServerConfiguration.users(keys), to: users)
    if isNew { try Self.write(ServerConfiguration.server(name: serverName, folder: folder, others: route), to: server) }
    let gateways = keys.count { $0.organization != nil }
    let terminal = Terminal()
    guard !output.json else {
      return terminal.json(
        Written(
          usersFile: users, serverFile: server, isNew: isNew, gateways: gateways, receivers: keys.count - gateways))
    }
    terminal.error("\(users): \(gateways) gateways, \(keys.count - gateways) receivers")
    terminal.error(
      isNew ? "\(server) is new: give it its certificate" : "`nats-server --signal reload` lets the server read it")
    if keys.count == gateways { terminal.error("warning: no receiver may take readings; `fleet add --receiver NAME`") }
  }

  private static func isPlain(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "-_.:[]".contains(character))
  }

  /// A server that reads meanwhile has the file of before or the new one.
  private static func write(_ text: String, to path: String) throws(ProgramError) {
    do { try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic) } catch {
      throw ProgramError(
        .failed, code: "config_file", "\(path) cannot be written: \(error.localizedDescription)")
    }
  }
}
