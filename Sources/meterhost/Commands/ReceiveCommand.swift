import ArgumentParser
import Foundation
import Logging
import MeterGateway
import MeterReceiver

/// `meterhost receive`: the embedded receiver.
struct ReceiveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "receive", abstract: "Run a receiver that stores every reading once.",
    discussion: """
      Speaks the Inform v2 measurement writes of docs/reference/wire-format.md over plain HTTP, stores in SQLite, and runs until it is
      interrupted. Accounts are given as lines ORGANISATION:USER:TOKEN in a file, which keeps tokens off the command line.

      EXAMPLE
        echo 'clinic:patient-1:0123456789abcdef0123' > accounts && chmod 600 accounts
        meterhost receive --database receiver.sqlite --port 8080 --accounts accounts
      """)

  @Option(help: ArgumentHelp("The SQLite file.", valueName: "file"))
  var database: String
  @Option(help: "The address to listen on.")
  var host = "127.0.0.1"
  @Option(help: "The TCP port; 0 takes a free one.")
  var port = 8080
  @Option(help: ArgumentHelp("The largest request body.", valueName: "bytes"))
  var bodyLimit = 1 << 20
  @Option(help: ArgumentHelp("A file with lines ORGANISATION:USER:TOKEN.", valueName: "file"), completion: .file())
  var accounts: String?
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var configuration = ReceiverConfiguration(database: database)
    configuration.host = host
    configuration.port = port
    configuration.bodyLimit = bodyLimit
    configuration.accounts = try accounts.map(AccountFile.read) ?? []
    let terminal = Terminal()
    if configuration.accounts.isEmpty {
      terminal.error("\(terminal.styled("warning:", .yellow)) no --accounts: only users of an earlier run can upload")
    }
    if let accounts { PrivateFile.warn(accounts, on: terminal) }
    let receiver = try Receiver(configuration: configuration, logger: Logger(label: "meterhost.receiver"))
    let (json, url) = (output.json, { @Sendable [host] port in Self.url(host: host, port: port) })
    try await Interruption.run {
      try await receiver.run { port in
        json
          ? terminal.json(["event": "listening", "url": url(port)])
          : terminal.error("listening on \(url(port)); Ctrl-C ends it")
      }
    }
  }

  private static func url(host: String, port: Int) -> String {
    host.contains(":") ? "http://[\(host)]:\(port)" : "http://\(host):\(port)"
  }
}

/// The accounts of a receiver, one a line.
private enum AccountFile {
  static func read(_ path: String) throws(GatewayError) -> [ReceiverConfiguration.Account] {
    guard let data = FileManager.default.contents(atPath: path), let text = String(data: data, encoding: .utf8) else {
      throw GatewayError(.usage, code: "accounts", "the accounts file \(path) cannot be read")
    }
    var accounts: [ReceiverConfiguration.Account] = []
    for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let trimmed = line.trimmingCharacters(in: .whitespacesAndNewlines)
      guard !trimmed.isEmpty, !trimmed.hasPrefix("#") else { continue }
      let parts = trimmed.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }) else {
        throw GatewayError(
          .usage, code: "accounts", "\(path):\(number + 1): not ORGANISATION:USER:TOKEN", hint: "# begins a comment")
      }
      accounts.append(.init(organization: parts[0], uid: parts[1], token: parts[2]))
    }
    return accounts
  }
}
