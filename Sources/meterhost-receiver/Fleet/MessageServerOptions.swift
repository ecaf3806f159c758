import ArgumentParser
import CurlHTTP
import FleetReceiver
import Foundation
import HostErrors
import MeterReceiver
import NATSClient

/// Which message server of a fleet, and as whom. Each option has a variable of its name for the unit.
struct MessageServerOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A message server of the fleet, tls://HOST[:PORT], or nats:// on this machine; again for the others of its cluster.",
      valueName: "url"))
  var from: [String] = []
  @Option(
    help: ArgumentHelp("The file with the receiver's seed, which `fleet add --receiver` has made.", valueName: "file"),
    completion: .file())
  var seedFile: String?
  @Option(
    help: ArgumentHelp(
      "A PEM file with the authorities that the message server's certificate is of.", valueName: "file"),
    completion: .file())
  var caFile: String?
  @Option(
    help: ArgumentHelp(
      "The user, by name or number, as whom a message server without TLS runs on this machine; any trusts every user.",
      valueName: "user"))
  var serverUser: String?

  /// Whether one is named.
  func isGiven(_ environment: Environment) -> Bool { !servers(environment).isEmpty }

  /// The connection as a receiver of that database.
  ///
  /// - Throws: ``ProgramError``, `NATSError` for an address or a seed that is none, `ReceiverError`, or `ValidationError` where nothing
  ///   names a server.
  func connection(_ store: ReceiverStore, _ environment: Environment = Environment()) throws -> NATSConnection {
    let addresses = servers(environment)
    guard !addresses.isEmpty else { throw ValidationError("Missing expected argument '--from <url>'") }
    var options = NATSOptions(servers: try addresses.map { try NATSAddress($0) })
    options.name = "meterhost-receiver"
    if let file = seedFile ?? environment.text("seed-file") ?? environment.credential("meterhost-receiver.seed") {
      options.inboxPrefix = FleetLayout.inboxPrefix(try Self.name(of: try NATSKeyFile.read(file), in: store))
      options.key = { () throws(NATSError) in try NATSKeyFile.read(file) }
    }
    return NATSConnection(options, dialer: CurlDialer(settings: try settings(environment)))
  }

  /// Their addresses as they are given.
  func servers(_ environment: Environment) -> [String] {
    guard from.isEmpty else { return from }
    return (environment.text("from") ?? "").split(whereSeparator: { $0 == "," || $0 == " " }).map(String.init)
  }

  private func settings(_ environment: Environment) throws(ProgramError) -> CurlTransport.Settings {
    var settings = CurlTransport.Settings()
    settings.authorityFile = caFile ?? environment.text("ca-file")
    if let text = serverUser ?? environment.text("server-user") {
      guard let user = ReceiverUser(text) ?? getpwnam(text).map({ .also($0.pointee.pw_uid) }) else {
        throw ProgramError(
          .usage, code: "server_user", "there is no user \(text.prefix(60)) on this machine",
          hint: "--server-user takes a name, a number, or any")
      }
      settings.receiverUser = user
    }
    return settings
  }

  /// The receiver's name, under which the server lets it hear answers.
  private static func name(of pair: NATSKeyPair, in store: ReceiverStore) throws -> String {
    let key = pair.publicKey.description
    guard let found = try store.fleetKeys().first(where: { $0.publicKey == key && $0.organization == nil }) else {
      throw ProgramError(
        .usage, code: "not_a_receiver", "the seed is not that of a receiver of this database",
        hint: "`meterhost-receiver fleet add --receiver NAME` makes one, in the database that --database names")
    }
    return found.name
  }
}
