internal import Foundation
import HostPrimitives

/// How a receiver is reached over HTTP, as every kind of sink that speaks it is told: address, certificates, proxy. It holds no secret.
package struct HTTPReach: Sendable, Hashable {
  /// The receiver's address.
  package var address: String
  /// A PEM file of certificate authorities instead of the system's.
  package var authorityFile: String?
  /// A PEM file with the certificate that this host shows the receiver.
  package var clientCertificateFile: String?
  /// A PEM file with the private key of that certificate.
  package var clientKeyFile: String?
  /// The proxy towards the receiver; nil leaves it to the environment.
  package var proxy: String?
  /// Whose the receiver may be on this machine, where TLS does not prove it.
  package var receiverUser = ReceiverUser.own

  /// What is reached at an address, with defaults for all else.
  package init(_ address: String) { self.address = address }

  /// Address, proxy and the paths of the files: what a support report must not show.
  package var privateTexts: [String] {
    [address, proxy, authorityFile, clientCertificateFile, clientKeyFile].compactMap(\.self)
  }

  /// As a transport takes it.
  ///
  /// - Parameter concurrency: Requests at a time.
  package func transportSettings(concurrency: Int) -> CurlTransport.Settings {
    var settings = CurlTransport.Settings()
    settings.authorityFile = authorityFile
    settings.clientCertificateFile = clientCertificateFile
    settings.clientKeyFile = clientKeyFile
    settings.proxy = proxy
    settings.receiverUser = receiverUser
    settings.connections = max(settings.connections, concurrency + 2)
    return settings
  }

  /// The same with full paths and every part checked.
  package func checked() throws(HTTPReachError) -> HTTPReach {
    var reach = self
    let base = try Self.base(of: address)
    reach.authorityFile = authorityFile.map(Self.fullPath)
    reach.clientCertificateFile = clientCertificateFile.map(Self.fullPath)
    reach.clientKeyFile = clientKeyFile.map(Self.fullPath)
    try TLSFiles(
      authority: reach.authorityFile, certificate: reach.clientCertificateFile, key: reach.clientKeyFile
    ).check()
    // A Unix socket is as plain as http on this machine.
    let isPlain = !base.lowercased().hasPrefix("https://")
    if isPlain, authorityFile != nil || clientCertificateFile != nil || clientKeyFile != nil {
      throw HTTPReachError(
        .tlsFile, "\(address) is plain http, which has no certificates",
        hint: "give an https address, or leave the certificate options out")
    }
    guard isPlain || receiverUser == .own else {
      throw HTTPReachError(
        .receiverUser, "whose the receiver is, its certificate says with https",
        hint: "leave --receiver-user out; it is for plain http and Unix sockets on this machine")
    }
    if let proxy { try Self.checkProxy(proxy, isPlain: isPlain) }
    return reach
  }

  /// An address such as `https://receiver.example` without slashes at its end.
  ///
  /// Plain `http` is taken for this machine only (`localhost`, `127.0.0.1`, `[::1]`): anywhere else it would show token
  /// and health data to the network. A Unix socket is `http+unix://` with its path, percent-encoded, in the place of the host:
  /// `http+unix://%2Frun%2Fmeterhost%2Freceiver.sock`.
  ///
  /// - Parameter allowsPlainHTTP: Takes plain `http` everywhere, for a network that protects itself.
  package static func base(
    of address: String, allowsPlainHTTP: Bool = false
  ) throws(HTTPReachError) -> String {
    if ReceiverSocket.isMeant(address), ReceiverSocket(address) == nil {
      throw HTTPReachError(
        .address,
        "the receiver's address is no Unix socket of the form http+unix://%2FFOLDER%2FSOCKET[/PATH]: "
          + "its path starts at the root and has at most \(ReceiverSocket.pathLimit) bytes.")
    }
    // What stands behind the socket's path is as of any other address.
    let form = ReceiverSocket(address)?.url ?? address
    let parts: WebAddress
    do { parts = try WebAddress(form) } catch {
      throw HTTPReachError(.address, "the receiver's address \(error.problem)", hint: error.cure)
    }
    let (scheme, isLocal) = (parts.scheme, ["localhost", "127.0.0.1", "[::1]"].contains(parts.host.lowercased()))
    guard scheme == "https" || (scheme == "http" && (isLocal || allowsPlainHTTP)) else {
      throw HTTPReachError(
        .address,
        "the receiver's address must start with https://; plain http is for receivers on this machine.")
    }
    var base = address
    while base.hasSuffix("/") { base.removeLast() }
    return base
  }

  private static func fullPath(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }

  private static func checkProxy(_ proxy: String, isPlain: Bool) throws(HTTPReachError) {
    guard !isPlain else {
      throw HTTPReachError(
        .proxy, "a proxy would see token and readings of a plain http receiver",
        hint: "leave --proxy out for a receiver on this machine")
    }
    let parts: WebAddress
    do { parts = try WebAddress(proxy) } catch {
      throw HTTPReachError(.proxy, "the proxy's address \(error.problem)", hint: error.cure)
    }
    guard ["http", "https", "socks5", "socks5h"].contains(parts.scheme), parts.path.isEmpty || parts.path == "/" else {
      throw HTTPReachError(
        .proxy, "the proxy's address must be like http://HOST:PORT",
        hint: "http, https, socks5 and socks5h are known")
    }
  }
}
