import ArgumentParser
import Foundation
import HTTPEncryption
import HostPrimitives
import LinuxSockets
import Logging
import MeterReceiver
import ProgramTerminal

/// `meterhost-receiver serve`: the receiver in the foreground.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Run a receiver that stores every reading once.",
    discussion: """
      Speaks Inform v2 and Legacy v1 as docs/reference/wire-format.md says, stores
      in an SQLite file or in PostgreSQL, and runs until it is interrupted. Without
      a certificate it speaks plain HTTP, and listens on this machine only.

      Each option has a variable for the unit: that of --tls-key is
      METERHOST_RECEIVER_TLS_KEY; a flag is yes or no. SIGHUP reads the certificate
      and its key anew.

      EXAMPLES
        meterhost-receiver serve --database receiver.sqlite --port 8080
        meterhost-receiver serve --database receiver.sqlite --host 0.0.0.0 \\
          --port 8443 --tls-certificate server.pem --tls-key server.key
        meterhost-receiver serve --database receiver.sqlite --json \\
          --socket /run/meterhost-receiver/http.sock
        meterhost-receiver serve \\
          --database 'postgres:///readings?host=/run/postgresql'
        meterhost-receiver serve --from tls://nats.example --seed-file main.seed \\
          --database 'postgres:///readings?host=/run/postgresql'

      With --from it takes the readings of a fleet's gateways from their message
      server (docs/run-a-fleet.md), and speaks HTTP only where --host, --port or
      --socket says so.

      Other users of this machine see its command lines: leave a password to
      ~/.pgpass, PGPASSFILE or the file of --database-file.
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var options: ServeOptions
  @OptionGroup var fleet: FleetServeOptions
  @OptionGroup var output: OutputOptions

  /// Whether SIGHUP is for the certificate, and not for whoever has closed a terminal. A service is told to reload whatever it was
  /// started with.
  var hearsHangup: Bool {
    let environment = Environment()
    return ServiceNotification(environment: environment.variables) != nil
      || (options.tlsCertificate ?? environment.text("tls-certificate")) != nil
  }

  func run() async throws {
    let environment = Environment()
    let systemd = ServiceNotification(environment: environment.variables)
    let place = try database.place(environment)
    let tls = try options.tlsFiles(environment).map { try CurrentTLS($0) }
    var configuration = try options.configuration(database: place, isEncrypted: tls != nil, environment)
    configuration.encryption = tls?.encryption
    if !ReceiverConfiguration.isPostgres(place), !FileManager.default.fileExists(atPath: place) {
      try FileOwner.requireOwn(folderOf: place)
    }
    let logger = Logger(label: "meterhost.receiver")
    let receiver = try Receiver(configuration: configuration, logger: logger)
    if try receiver.store.isWithoutUsers() {
      Terminal().error(
        "warning: the receiver knows no user and takes nothing; `meterhost-receiver organization add` and `user add` make some"
      )
    }
    let gateways = try fleet.intake(receiver.store, configuration, environment, logger: logger)
    PrivateMemory.returnWhatIsFree()
    if let tls { PrivateFile.warn(tls.files.key) }
    let reloading = tls.map { TLSReload($0, logger: logger) }
    reloading?.tell()
    let json = output.json
    defer { systemd?.send(.stopping) }
    let reload: @Sendable () -> Void = { reloading?.reload() }
    let address = gateways == nil || options.isListening(environment) ? ServedAddress(configuration) : nil
    try await Interruption.run(onHangup: hearsHangup ? reload : nil) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        if let gateways {
          group.addTask { await gateways.run() }
          if address == nil { Self.tell(["event": "taking", "from": gateways.servers], systemd, asJSON: json) }
        }
        if let address {
          group.addTask {
            try await receiver.run { port in
              Self.tell(["event": "listening", "url": address.url(port: port)], systemd, asJSON: json)
            }
          }
        }
        // Where one of them ends, so does the other.
        try await group.next()
        group.cancelAll()
      }
    }
  }

  /// Says that it is ready, and for what: `url` or `from`.
  private static func tell(_ event: [String: String], _ systemd: ServiceNotification?, asJSON: Bool) {
    let words = event["url"].map { "listening on \($0)" } ?? "taking readings from \(event["from", default: ""])"
    systemd?.send(.ready, .status(words))
    asJSON ? Terminal().json(event) : Terminal().error("\(words); Ctrl-C ends it")
  }
}

/// Where a receiver is reached, as `session start --receiver` takes it.
struct ServedAddress: Sendable {
  private let host: String
  private let socket: String?
  private let scheme: String

  init(_ configuration: ReceiverConfiguration) {
    host = configuration.host
    socket = configuration.socket
    scheme = configuration.encryption == nil ? "http" : "https"
  }

  /// - Parameter port: The one that it listens on.
  func url(port: Int) -> String {
    guard let socket else {
      return host.contains(":") ? "\(scheme)://[\(host)]:\(port)" : "\(scheme)://\(host):\(port)"
    }
    let path = socket.hasPrefix("/") ? socket : "\(FileManager.default.currentDirectoryPath)/\(socket)"
    let plain = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
    return "http+unix://\(path.addingPercentEncoding(withAllowedCharacters: plain) ?? path)"
  }
}
