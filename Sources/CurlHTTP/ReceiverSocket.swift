internal import Foundation

/// The parts of an address like `http+unix://%2Frun%2Fmeterhost%2Freceiver.sock/base`: a Unix socket, its path
/// percent-encoded in the place of a host, and what is asked for over it.
package struct ReceiverSocket: Sendable, Hashable {
  /// The start of such addresses.
  package static let scheme = "http+unix://"
  /// What fits `sun_path` (unix(7)).
  package static let pathLimit = 107

  /// The socket's path.
  package let path: String
  /// The address as it is asked for over the socket.
  package let url: String

  /// Whether an address is meant to be one.
  package static func isMeant(_ url: String) -> Bool { url.lowercased().hasPrefix(scheme) }

  /// Nil when the address is none.
  package init?(_ url: String) {
    guard Self.isMeant(url) else { return nil }
    let rest = url.dropFirst(Self.scheme.count)
    let host = rest.prefix { $0 != "/" }
    guard let path = String(host).removingPercentEncoding, path.hasPrefix("/"), !path.hasSuffix("/"),
      path.utf8.count <= Self.pathLimit, path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
      host.utf8.allSatisfy({ !Array("@?#:[]".utf8).contains($0) })
    else { return nil }
    self.path = path
    self.url = "http://localhost" + rest.dropFirst(host.count)
  }
}
