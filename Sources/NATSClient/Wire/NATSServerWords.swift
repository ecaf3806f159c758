import HostPrimitives

/// What a server says is wrong (`-ERR`).
package enum NATSServerWords: Sendable, Hashable {
  /// It does not know who this is, or no longer.
  case authorization(String)
  /// This subject may not be published to.
  case mayNotPublish(subject: String)
  /// This subject may not be subscribed to.
  case mayNotSubscribe(subject: String)
  /// A message had more bytes than the server takes; the connection is over.
  case maximumPayload
  /// It has heard nothing for too long; the connection is over.
  case stale
  /// It speaks TLS only.
  case wantsTLS
  /// Something else, in its own words.
  case other(String)

  /// What stands behind `-ERR`, in quotes or not.
  package init(_ line: some Collection<UInt8>) {
    var text = String(decoding: line, as: UTF8.self).oneLineOfServer
    while text.hasPrefix(" ") { text.removeFirst() }
    while text.hasSuffix(" ") { text.removeLast() }
    if text.count >= 2, text.hasPrefix("'"), text.hasSuffix("'") { text = String(text.dropFirst().dropLast()) }
    let small = text.lowercased()
    if small.hasPrefix("permissions violation for publish") {
      self = .mayNotPublish(subject: Self.quoted(text))
    } else if small.hasPrefix("permissions violation for subscription") {
      self = .mayNotSubscribe(subject: Self.quoted(text))
    } else if ["authorization", "authentication", "account authentication", "user authentication"]
      .contains(where: small.hasPrefix)
    {
      self = .authorization(text)
    } else if small.hasPrefix("maximum payload") {
      self = .maximumPayload
    } else if small.hasPrefix("stale connection") {
      self = .stale
    } else if small.hasPrefix("secure connection") {
      self = .wantsTLS
    } else {
      self = .other(text)
    }
  }

  /// What stands between the first two quotes.
  private static func quoted(_ text: String) -> String {
    guard let first = text.firstIndex(of: "\"") else { return "" }
    let rest = text[text.index(after: first)...]
    return String(rest.prefix { $0 != "\"" })
  }
}

extension String {
  /// A server's words as one line of at most 512 bytes.
  var oneLineOfServer: String { oneLine(atMost: 512) }
}
