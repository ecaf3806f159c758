/// Where the console listens: an address of this machine and a port, or a Unix socket.
///
/// ```swift
/// ConsoleAddress("127.0.0.1:8090")?.isOfThisMachine         // true
/// ConsoleAddress("/run/meterhost/console.sock")?.isOfThisMachine  // true
/// ConsoleAddress("192.168.1.5:8090")?.isOfThisMachine       // false
/// ```
package enum ConsoleAddress: Sendable, Hashable, CustomStringConvertible {
  /// An address in digits, and a TCP port.
  case network(IngestAddress)
  /// A path from the root.
  case socket(String)

  /// What is taken where nothing is said: any free port of the loopback address.
  package static let standard = "127.0.0.1:0"

  /// Reads `ADDRESS:PORT` or an absolute path; nil for a name, an address of the internet, and anything else.
  package init?(_ text: String) {
    if text.hasPrefix("/") {
      guard text.utf8.count < 100, !text.utf8.contains(0) else { return nil }
      self = .socket(text)
      return
    }
    guard let address = IngestAddress(text) else { return nil }
    self = .network(address)
  }

  /// Whether only programs of this machine reach it.
  package var isOfThisMachine: Bool {
    switch self {
    case .network(let address): address.isLoopback
    case .socket: true
    }
  }

  /// As it is written.
  package var description: String {
    switch self {
    case .network(let address): address.description
    case .socket(let path): path
    }
  }
}

/// How a running host serves its console.
package struct ConsoleSettings: Sendable, Hashable {
  /// Where it listens.
  package var address: ConsoleAddress
  /// The address by which people reach it through a proxy that speaks TLS, such as `https://gateway.example`; nil without one.
  package var publicOrigin: String?
  /// With what the console itself speaks TLS; nil: it speaks plain HTTP.
  package var certificate: Certificate?

  /// The files of a certificate.
  package struct Certificate: Sendable, Hashable {
    /// The certificate in PEM, and behind it those of whoever has signed it.
    package var file: String
    /// Its private key in PEM, without a passphrase.
    package var key: String

    /// - Returns: nil without both of them.
    /// - Throws: ``GatewayError`` with code `console_certificate` of one without the other.
    package init?(file: String?, key: String?) throws(GatewayError) {
      guard file != nil || key != nil else { return nil }
      guard let file, let key else {
        throw GatewayError(
          .usage, code: "console_certificate",
          "a certificate of the console is of no use without its key, nor a key without its certificate",
          hint: "--console-certificate and --console-key belong together")
      }
      (self.file, self.key) = (file, key)
    }
  }

  /// Whether others in the network reach it, so that a password is needed.
  package var isForOthers: Bool { publicOrigin != nil || certificate != nil }

  /// Settings that are safe.
  ///
  /// - Parameters:
  ///   - address: As ``ConsoleAddress`` reads it.
  ///   - proxy: The `https` origin of the proxy in front of it, without a path.
  ///   - certificate: With what it speaks TLS itself.
  /// - Throws: ``GatewayError`` with code `console_address` or `console_certificate`.
  package init(
    address text: String, behindProxy proxy: String?, certificate: Certificate? = nil
  ) throws(GatewayError) {
    guard let address = ConsoleAddress(text) else { throw GatewayError.consoleAddress(text) }
    self.certificate = certificate
    if certificate != nil {
      guard proxy == nil else {
        throw GatewayError(
          .usage, code: "console_certificate", "the proxy in front of the console has a certificate already",
          hint: "leave --console-behind-proxy or --console-certificate away")
      }
      guard case .network = address else {
        throw GatewayError(
          .usage, code: "console_certificate", "over a Unix socket there is nothing to encrypt",
          hint: "leave the certificate away, or listen on an address and port")
      }
    }
    guard address.isOfThisMachine || proxy != nil || certificate != nil else {
      throw GatewayError(
        .usage, code: "console_address",
        "at \(address) others in the network could read along: without a certificate the console speaks plain HTTP",
        hint:
          "give it a certificate with --console-certificate and --console-key, or listen on 127.0.0.1 behind a proxy with TLS that --console-behind-proxy names"
      )
    }
    self.address = address
    publicOrigin = try proxy.map { text throws(GatewayError) in try Self.origin(text) }
  }

  /// `https://HOST` or `https://HOST:PORT` in lower case; the port of `https` is left away.
  private static func origin(_ text: String) throws(GatewayError) -> String {
    let written = text.lowercased()
    let origin = written.hasSuffix("/") ? String(written.dropLast()) : written
    guard origin.utf8.count <= 256, origin.wholeMatch(of: /https:\/\/[a-z0-9.\-\[\]:]+/) != nil else {
      throw GatewayError(
        .usage, code: "console_address", "“\(text.prefix(64))” is no address of a proxy with TLS",
        hint: "give what people type into the browser, such as https://gateway.example, without a path")
    }
    // Browsers leave the port of `https` away where they name the origin.
    return origin.hasSuffix(":443") ? String(origin.dropLast(":443".count)) : origin
  }
}

extension GatewayError {
  /// What is no address for the console.
  package static func consoleAddress(_ text: String) -> GatewayError {
    GatewayError(
      .usage, code: "console_address", "“\(text.prefix(64))” is no address at which the console can listen",
      hint: "give an address of this machine and a port, such as 127.0.0.1:8090, or the path of a Unix socket")
  }
}
