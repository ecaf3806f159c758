import StrictJSON

/// The last word of a gateway: how it was when it said so, on the subject `mh.ORGANISATION.GATEWAY.s`.
package struct GatewayWord: Sendable, Hashable {
  /// The organisation's id.
  package let organization: String
  /// The gateway's name.
  package let gateway: String
  /// When the server got it, in seconds since 1970.
  package let at: Int64
  /// Readings that wait for the receiver; nil where it does not say.
  package let pending: Int64?
  /// Readings that wait for a person.
  package let held: Int64?
  /// Readings that were refused.
  package let dead: Int64?
  /// The gateway's version.
  package let version: String?

  /// A word; nil where the subject is no gateway's. What a gateway says of itself is taken as far as it can be read: it comes from
  /// outside.
  init?(subject: String, nanoseconds: Int64, payload: [UInt8]) {
    let tokens = subject.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard tokens.count == 4, tokens[0] == "mh", tokens[3] == "s" else { return nil }
    (organization, gateway) = (tokens[1], tokens[2])
    at = nanoseconds / 1_000_000_000
    let said = try? JSONDocument(payload, rules: JSONRules(size: 4096, depth: 8)).root
    func number(_ name: String) -> Int64? { said?.member(name)?.numeral.flatMap { Int64($0) } }
    pending = number("pending")
    held = number("held")
    dead = number("dead")
    version = said?.member("version")?.asString.map { String($0.prefix(32)) }
  }
}
