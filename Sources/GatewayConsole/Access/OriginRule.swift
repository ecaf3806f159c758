import HTTPServing

/// Under which names the console answers, and where a request that changes something may come from.
///
/// A name of somebody else's may point to this machine (DNS rebinding): the browser then sends that name. So only names that are the
/// console's own are answered.
enum OriginRule: Sendable, Hashable {
  /// On a port of the loopback address.
  case loopback(port: Int)
  /// On a Unix socket, to which something of this machine leads from any port.
  case socket
  /// On a port, under the names that its own certificate is for.
  case certificate(port: Int, names: CertificateNames)
  /// Behind a proxy that people reach by this origin, such as `https://gateway.example`.
  case proxy(origin: String)

  private static let ownNames = ["127.0.0.1", "localhost", "[::1]"]

  /// Whether the `Host` header is the console's.
  func admits(host: String?) -> Bool {
    guard let host = host?.lowercased() else { return false }
    switch self {
    case .loopback(let port):
      return Self.ownNames.contains { host == "\($0):\(port)" || port == 80 && host == $0 }
    case .socket:
      return Self.ownNames.contains { name in
        host == name || host.hasPrefix(name + ":") && host.dropFirst(name.count + 1).allSatisfy(\.isWholeNumber)
      }
    case .certificate(let port, let names):
      guard host.hasSuffix(":\(port)") else { return port == 443 && names.admits(host) }
      return names.admits(String(host.dropLast("\(port)".utf8.count + 1)))
    case .proxy(let origin): return Self.plain(host) == origin.dropFirst("https://".count)
    }
  }

  /// Whether the `Origin` header of a request that changes something is that of our pages.
  func admits(origin: String?, host: String?) -> Bool {
    guard let origin = origin?.lowercased(), let host = host?.lowercased(), admits(host: host) else { return false }
    return isSecure ? Self.plain(origin) == "https://" + Self.plain(host) : origin == "http://" + host
  }

  /// Without the port of `https`, which says nothing: some programs write it, browsers do not.
  private static func plain(_ name: String) -> Substring {
    name.hasSuffix(":443") ? name.dropLast(":443".count) : name[...]
  }

  /// Whether the `Sec-Fetch-Site` header, which old browsers do not send, lets the request be ours or the person's.
  ///
  /// - Parameter isEntry: A link that is opened from elsewhere, such as from a terminal in the browser.
  func admits(fetchSite: String?, isEntry: Bool) -> Bool {
    guard let site = fetchSite?.lowercased() else { return true }
    return site == "same-origin" || site == "none" || isEntry
  }

  /// Whether browsers reach the console by TLS only.
  var isSecure: Bool {
    switch self {
    case .proxy, .certificate: true
    case .loopback, .socket: false
    }
  }
}
