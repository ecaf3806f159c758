import InformSink
package import MeterCore

/// What a gateway of a fleet publishes to and listens to (docs/reference/nats.md).
package struct ReadingSubjects: Sendable, Hashable {
  private let own: String

  /// The subjects of a gateway.
  package init(organization: String, gateway: String) { own = "mh.\(organization).\(gateway)" }

  /// Where readings of a type go.
  package func readings(_ type: RecordType) -> String { "\(own).r.\(type.informCollection)" }
  /// Where receivers say what became of them.
  package var confirmations: String { "\(own).c" }
  /// Where the gateway says how it is.
  package var state: String { "\(own).s" }
}
