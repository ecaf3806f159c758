import HostErrors

/// Whether tokens and readings may cross a network as the receiver would take them.
enum ListeningRule {
  /// - Parameters:
  ///   - host: What it listens on.
  ///   - isEncrypted: Whether it speaks TLS itself.
  ///   - isBehindProxy: Whether somebody has said that a proxy in front of it does.
  /// - Throws: ``ProgramError`` `plain_http`.
  static func check(_ host: String, isEncrypted: Bool, isBehindProxy: Bool) throws(ProgramError) {
    guard !isEncrypted, !isBehindProxy, !isLoopback(host) else { return }
    throw ProgramError(
      .usage, code: "plain_http",
      "beyond this machine the receiver needs TLS: on \(host) tokens and readings would cross the network for all to read",
      hint: "give it a certificate (--tls-certificate, --tls-key), or say that a TLS proxy is in front (--behind-proxy)"
    )
  }

  /// An address at which this machine alone hears itself.
  static func isLoopback(_ host: String) -> Bool {
    if host == "localhost" || host == "::1" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.first == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}
