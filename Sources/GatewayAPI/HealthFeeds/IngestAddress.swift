import Glibc

/// Where the running host takes exports over HTTP: an address of this machine and a port.
///
/// Only addresses that do not lead out of the house: the endpoint speaks plain HTTP, and TLS is the business of a proxy in front of it.
///
/// ```swift
/// IngestAddress("127.0.0.1:8099")?.isLoopback  // true
/// IngestAddress("[fd00::5]:8099")?.host        // "fd00::5"
/// IngestAddress("8.8.8.8:80")                  // nil: everybody could reach it
/// ```
public struct IngestAddress: Sendable, Hashable, CustomStringConvertible {
  /// The address in digits, IPv6 without brackets.
  public let host: String
  /// The TCP port; 0 takes a free one.
  public let port: Int
  /// Whether only this machine's programs reach it.
  public let isLoopback: Bool

  /// Reads `ADDRESS:PORT`, with IPv6 in brackets; `localhost` is 127.0.0.1. Nil for a name, an address of the internet, and anything else.
  public init?(_ text: String) {
    guard text.utf8.count <= 64, let colon = text.lastIndex(of: ":") else { return nil }
    let digits = text[text.index(after: colon)...]
    guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let port = Int(digits), port <= 65_535
    else { return nil }
    var host = String(text[..<colon])
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    if isBracketed { host = String(host.dropFirst().dropLast()) }
    if host == "localhost" { host = "127.0.0.1" }
    guard host.contains(":") == isBracketed, let place = Self.bytes(of: host).flatMap(Self.place) else { return nil }
    (self.host, self.port, isLoopback) = (host, port, place == .loopback)
  }

  /// As it is written.
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  private enum Place { case loopback, local }

  private static func bytes(of host: String) -> [UInt8]? {
    let isSix = host.contains(":")
    var bytes = [UInt8](repeating: 0, count: isSix ? 16 : 4)
    return inet_pton(isSix ? AF_INET6 : AF_INET, host, &bytes) == 1 ? bytes : nil
  }

  /// Loopback, private (RFC 1918, RFC 4193), link-local of IPv4 (RFC 3927), or all addresses of this machine; nil: of the internet. One of
  /// IPv6's link-local needs the name of an interface, which no phone's automation can give.
  private static func place(_ bytes: [UInt8]) -> Place? {
    if bytes.allSatisfy({ $0 == 0 }) { return .local }
    guard bytes.count == 4 else {
      if bytes.dropLast().allSatisfy({ $0 == 0 }), bytes[15] == 1 { return .loopback }
      return bytes[0] & 0xfe == 0xfc ? .local : nil
    }
    switch (bytes[0], bytes[1]) {
    case (127, _): return .loopback
    case (10, _), (192, 168), (169, 254), (172, 16...31): return .local
    default: return nil
    }
  }
}

extension GatewayError {
  /// What is no address for the endpoint.
  package static func ingestAddress(_ text: String) -> GatewayError {
    GatewayError(
      .usage, code: "ingest_address", "“\(text.prefix(64))” is no address at which exports can be taken",
      hint: "give an address of this machine or its network and a port, such as 127.0.0.1:8099 or [::1]:8099; "
        + "to the internet belongs a proxy with TLS in front of it")
  }
}
