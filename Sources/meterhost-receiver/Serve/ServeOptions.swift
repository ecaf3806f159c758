import ArgumentParser
import HTTPEncryption
import HostErrors
import MeterReceiver

/// How a receiver listens and what it takes. Each option has a variable of its name for the unit.
struct ServeOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The address to listen on; 127.0.0.1.", valueName: "address"))
  var host: String?
  @Option(help: ArgumentHelp("The TCP port, 8080; 0 takes a free one.", valueName: "port"))
  var port: Int?
  @Option(
    help: ArgumentHelp("A Unix socket to listen on in place of address and port.", valueName: "path"),
    completion: .file())
  var socket: String?
  @Flag(help: "This user's group may connect to the socket, too (mode 0660, not 0600).")
  var socketForGroup = false
  @Option(
    help: ArgumentHelp("Speak TLS with this certificate, in PEM with those of its issuers.", valueName: "file"),
    completion: .file())
  var tlsCertificate: String?
  @Option(
    help: ArgumentHelp("The certificate's key, in PEM without a passphrase.", valueName: "file"), completion: .file())
  var tlsKey: String?
  @Flag(help: "A proxy in front speaks TLS: listen beyond this machine without it.")
  var behindProxy = false
  @Option(help: ArgumentHelp("The most connections at once; 512.", valueName: "number"))
  var connections: Int?
  @Option(help: ArgumentHelp("The largest request body; 1048576.", valueName: "bytes"))
  var bodyLimit: Int?
  @Option(help: ArgumentHelp("The largest image; 8388608.", valueName: "bytes"))
  var mediaLimit: Int?
  @Option(help: ArgumentHelp("A file with lines ORGANISATION:USER:TOKEN.", valueName: "file"), completion: .file())
  var accounts: String?
  @Option(
    help: ArgumentHelp("A file with lines ORGANISATION:TOKEN, for reading and provisioning.", valueName: "file"),
    completion: .file())
  var organizations: String?
  @Option(
    help: ArgumentHelp("What stands before the paths of images, such as https://receiver.example.", valueName: "url"))
  var publicAddress: String?

  /// Whether something says where it listens. A receiver that takes messages speaks HTTP only then.
  func isListening(_ environment: Environment) -> Bool {
    host != nil || port != nil || socket != nil
      || ["host", "port", "socket"].contains { environment.text($0) != nil }
  }

  /// The files of the certificate and its key; nil without TLS.
  ///
  /// - Throws: ``ProgramError`` `tls` when one is there without the other, or with a socket.
  func tlsFiles(_ environment: Environment) throws(ProgramError) -> TLSFiles? {
    let certificate = tlsCertificate ?? environment.text("tls-certificate")
    let key = tlsKey ?? environment.text("tls-key")
    guard certificate != nil || key != nil else { return nil }
    guard let certificate, let key else {
      throw ProgramError(
        .usage, code: "tls", "a certificate is of no use without its key, nor a key without its certificate",
        hint: "--tls-certificate and --tls-key belong together")
    }
    guard (socket ?? environment.text("socket")) == nil else {
      throw ProgramError(
        .usage, code: "tls", "over a Unix socket there is nothing to encrypt; leave --socket or the certificate away")
    }
    return TLSFiles(certificate: certificate, key: key)
  }

  /// What the receiver is started with, without TLS.
  ///
  /// - Throws: ``ProgramError``: `environment`, `accounts`, or `plain_http` for an address beyond this machine without TLS.
  func configuration(
    database: String, isEncrypted: Bool, _ environment: Environment
  ) throws -> ReceiverConfiguration {
    var configuration = ReceiverConfiguration(database: database)
    configuration.host = host ?? environment.text("host") ?? "127.0.0.1"
    configuration.port = try port ?? environment.number("port") ?? 8080
    configuration.socket = socket ?? environment.text("socket")
    configuration.socketIsForGroup = try socketForGroup || environment.flag("socket-for-group")
    if configuration.socket == nil {
      let isBehindProxy = try behindProxy || environment.flag("behind-proxy")
      try ListeningRule.check(configuration.host, isEncrypted: isEncrypted, isBehindProxy: isBehindProxy)
    }
    configuration.connectionLimit =
      try connections ?? environment.number("connections") ?? configuration.connectionLimit
    configuration.bodyLimit = try bodyLimit ?? environment.number("body-limit") ?? configuration.bodyLimit
    configuration.mediaLimit = try mediaLimit ?? environment.number("media-limit") ?? configuration.mediaLimit
    configuration.publicAddress = publicAddress ?? environment.text("public-address") ?? ""
    let files = (accounts ?? environment.text("accounts"), organizations ?? environment.text("organizations"))
    if let file = files.0 {
      configuration.accounts = try AccountFile.read(file)
      PrivateFile.warn(file)
    }
    if let file = files.1 {
      configuration.organizations = try AccountFile.organizations(file)
      PrivateFile.warn(file)
    }
    return configuration
  }
}
