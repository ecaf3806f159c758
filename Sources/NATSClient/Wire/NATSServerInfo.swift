import StrictJSON

/// What a server says of itself when a connection begins, and when what it knows of the others changes.
package struct NATSServerInfo: Sendable, Hashable {
  /// Its id, which changes when it is started again.
  package var serverID = ""
  /// Its name, for people.
  package var serverName = ""
  /// Its version, such as "2.14.0".
  package var version = ""
  /// Whether messages may have headers.
  package var takesHeaders = false
  /// The most bytes that a message may have, header included.
  package var maxPayload = 1 << 20
  /// What a client signs to prove its key; nil where no key is wanted.
  package var nonce: String?
  /// Whether it wants to know who a client is.
  package var wantsAuthentication = false
  /// Whether it speaks TLS only.
  package var wantsTLS = false
  /// Whether it stores streams.
  package var hasJetStream = false
  /// Whether it goes down soon, and lets clients find another.
  package var isLeaving = false
  /// Addresses of the servers of its cluster, as HOST:PORT.
  package var addresses: [String] = []

  /// More than these are not looked at.
  static let mostAddresses = 64
  private static let rules = JSONRules(size: NATSParser.longestLine, depth: 8, allowsDuplicateKeys: true)

  /// A server that says nothing.
  package init() {}

  /// What stands behind the word INFO; nil for what is no JSON object.
  package init?(_ json: [UInt8]) {
    guard let document = try? JSONDocument(json, rules: Self.rules), document.root.kind == .object else { return nil }
    let root = document.root
    func text(_ name: String) -> String? { root.member(name)?.asString }
    func flag(_ name: String) -> Bool { root.member(name)?.asBool ?? false }
    serverID = text("server_id") ?? ""
    serverName = (text("server_name") ?? "").oneLineOfServer
    version = (text("version") ?? "").oneLineOfServer
    takesHeaders = flag("headers")
    if let number = root.member("max_payload")?.numeral.flatMap({ Int($0) }), number > 0 { maxPayload = number }
    nonce = text("nonce").flatMap { $0.isEmpty ? nil : $0 }
    wantsAuthentication = flag("auth_required")
    wantsTLS = flag("tls_required")
    hasJetStream = flag("jetstream")
    isLeaving = flag("ldm")
    addresses = (root.member("connect_urls")?.elements ?? []).prefix(Self.mostAddresses).compactMap(\.asString)
  }
}
