import ArgumentParser
import Foundation
import Logging
import GatewayAPI
import MeterReceiver

/// `meterhost receive`: the embedded receiver.
struct ReceiveCommand: AsyncParsableCommand, InterruptibleCommand {
  static let configuration = CommandConfiguration(
    commandName: "receive", abstract: "Run a receiver that stores every reading once.",
    discussion: """
      Speaks Inform v2 and Legacy v1 as docs/reference/wire-format.md says, over plain HTTP, stores in an SQLite file or in
      PostgreSQL, and runs until it is interrupted. Accounts are given as lines ORGANISATION:USER:TOKEN in a file, which keeps tokens off the command line.
      An organisation that is to read its users' records and make users over HTTP needs a token of its own.

      EXAMPLE
        echo 'clinic:patient-1:0123456789abcdef0123' > accounts && chmod 600 accounts
        meterhost receive --database receiver.sqlite --port 8080 --accounts accounts
        meterhost receive --database receiver.sqlite --socket /run/meterhost/receiver.sock --accounts accounts
        meterhost receive --database 'postgres://meterhost@db.example:5432/readings' --accounts accounts
        meterhost receive --database 'postgres:///readings?host=/run/postgresql' --accounts accounts

      Other users of this machine see its command lines: leave a password to ~/.pgpass or PGPASSFILE.
      """)

  @Option(help: ArgumentHelp("The SQLite file, or postgres://USER@HOST:PORT/NAME.", valueName: "database"))
  var database: String
  @Option(help: "The address to listen on.")
  var host = "127.0.0.1"
  @Option(help: "The TCP port; 0 takes a free one.")
  var port = 8080
  @Option(
    help: ArgumentHelp("A Unix socket to listen on in place of address and port.", valueName: "path"),
    completion: .file())
  var socket: String?
  @Flag(help: "This user's group may connect to the socket, too (mode 0660, not 0600).")
  var socketForGroup = false
  @Option(help: "The most connections at once.")
  var connections = 512
  @Option(help: ArgumentHelp("The largest request body.", valueName: "bytes"))
  var bodyLimit = 1 << 20
  @Option(help: ArgumentHelp("A file with lines ORGANISATION:USER:TOKEN.", valueName: "file"), completion: .file())
  var accounts: String?
  @Option(
    help: ArgumentHelp("A file with lines ORGANISATION:TOKEN, for reading and provisioning.", valueName: "file"),
    completion: .file())
  var organizations: String?
  @Option(help: ArgumentHelp("The largest image.", valueName: "bytes"))
  var mediaLimit = 8 << 20
  @Option(
    help: ArgumentHelp("What stands before the paths of images, such as https://receiver.example.", valueName: "url"))
  var publicAddress = ""
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var configuration = ReceiverConfiguration(database: database)
    configuration.host = host
    configuration.port = port
    configuration.socket = socket
    configuration.socketIsForGroup = socketForGroup
    configuration.connectionLimit = connections
    configuration.bodyLimit = bodyLimit
    configuration.mediaLimit = mediaLimit
    configuration.publicAddress = publicAddress
    configuration.organizations = try organizations.map(AccountFile.organizations) ?? []
    configuration.accounts = try accounts.map(AccountFile.read) ?? []
    let terminal = Terminal()
    if configuration.accounts.isEmpty && configuration.organizations.isEmpty {
      terminal.error(
        "\(terminal.styled("warning:", .yellow)) no --accounts and no --organizations: only users of an earlier run can upload"
      )
    }
    if ReceiverConfiguration.showsPassword(database) {
      terminal.error(
        "\(terminal.styled("warning:", .yellow)) the password stands in the command line, which other users of this "
          + "machine can see; put it into ~/.pgpass")
    }
    for file in [accounts, organizations].compactMap(\.self) { PrivateFile.warn(file, on: terminal) }
    let receiver = try Receiver(configuration: configuration, logger: Logger(label: "meterhost.receiver"))
    ProcessMemory.returnWhatIsFree()
    let (json, url) = (
      output.json, { @Sendable [host, socket] port in socket.map(Self.url) ?? Self.url(host: host, port: port) }
    )
    try await Interruption.run {
      try await receiver.run { port in
        json
          ? terminal.json(["event": "listening", "url": url(port)])
          : terminal.notice("listening on \(url(port)); Ctrl-C ends it")
      }
    }
  }

  /// As `session start --receiver` takes it.
  private static func url(socket: String) -> String {
    let path = socket.hasPrefix("/") ? socket : "\(FileManager.default.currentDirectoryPath)/\(socket)"
    let plain = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
    return "http+unix://\(path.addingPercentEncoding(withAllowedCharacters: plain) ?? path)"
  }

  private static func url(host: String, port: Int) -> String {
    host.contains(":") ? "http://[\(host)]:\(port)" : "http://\(host):\(port)"
  }
}

/// The accounts and organisations of a receiver, one a line.
private enum AccountFile {
  static func read(_ path: String) throws(GatewayError) -> [ReceiverConfiguration.Account] {
    try lines(path, of: ["ORGANISATION", "USER", "TOKEN"]).map {
      .init(organization: $0[0], uid: $0[1], token: $0[2])
    }
  }

  static func organizations(_ path: String) throws(GatewayError) -> [ReceiverConfiguration.Organization] {
    try lines(path, of: ["ORGANISATION", "TOKEN"]).map { .init(id: $0[0], token: $0[1]) }
  }

  private static func lines(_ path: String, of fields: [String]) throws(GatewayError) -> [[String]] {
    guard let data = FileManager.default.contents(atPath: path), let text = String(data: data, encoding: .utf8) else {
      throw GatewayError(.usage, code: "accounts", "the accounts file \(path) cannot be read")
    }
    var lines: [[String]] = []
    for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let trimmed = line.trimmingCharacters(in: .whitespacesAndNewlines)
      guard !trimmed.isEmpty, !trimmed.hasPrefix("#") else { continue }
      let parts = trimmed.split(separator: ":", maxSplits: fields.count - 1, omittingEmptySubsequences: false)
      guard parts.count == fields.count, parts.allSatisfy({ !$0.isEmpty }) else {
        throw GatewayError(
          .usage, code: "accounts", "\(path):\(number + 1): not \(fields.joined(separator: ":"))",
          hint: "# begins a comment")
      }
      lines.append(parts.map(String.init))
    }
    return lines
  }
}
