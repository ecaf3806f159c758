/// What the subject of a gateway's reading says: `mh.ORGANISATION.GATEWAY.r.COLLECTION`.
package struct FleetSubject: Sendable, Equatable {
  /// The organisation's id.
  package let organization: String
  /// The gateway's name.
  package let gateway: String
  /// The collection that the record goes to, as in the path of an upload: `measurements`.
  package let collection: String

  /// A subject from its text; nil where a gateway has no such subject.
  package init?(_ text: String) {
    let tokens = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard tokens.count >= 5, tokens[0] == "mh", tokens[3] == "r", Self.isName(tokens[1]), Self.isName(tokens[2]) else {
      return nil
    }
    organization = tokens[1]
    gateway = tokens[2]
    collection = tokens[4...].joined(separator: ".")
  }

  /// Where the gateway hears what became of its readings.
  package var confirmations: String { "mh.\(organization).\(gateway).c" }

  /// Whether it can be a part of a subject that nobody reads as two parts or as a pattern.
  package static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}
