/// What a fleet's subjects, streams and consumer are called, and how they are made. docs/run-a-fleet.md says why.
package enum FleetLayout {
  /// The stream of readings.
  package static let readings = "READINGS"
  /// The stream of the last word of each gateway.
  package static let states = "STATES"
  /// The durable consumer of ``readings`` that all receivers of one database share.
  package static let consumer = "postgres"

  /// Under what a key's answers come: its own, so that nobody else can hear them.
  package static func inboxPrefix(_ name: String) -> String { "_INBOX.\(name)" }
}

/// What a key may do at the message server.
package struct FleetPermissions: Sendable, Hashable {
  /// Subjects that it may publish to.
  package let publish: [String]
  /// Subjects that it may listen to.
  package let subscribe: [String]

  /// A gateway sends its readings and its state, and hears what became of them; nothing of any other.
  package static func gateway(organization: String, name: String) -> FleetPermissions {
    let own = "mh.\(organization).\(name)"
    return FleetPermissions(
      publish: ["\(own).r.>", "\(own).s"],
      subscribe: ["\(own).c", "\(own).cmd", "\(FleetLayout.inboxPrefix(name)).>"])
  }

  /// A receiver makes streams and the consumer, takes messages, and confirms. It deletes and purges nothing.
  package static func receiver(name: String) -> FleetPermissions {
    let requests = [
      "INFO", "STREAM.INFO.*", "STREAM.CREATE.*", "STREAM.UPDATE.*", "CONSUMER.INFO.>", "CONSUMER.CREATE.>",
      "CONSUMER.MSG.NEXT.>",
    ]
    return FleetPermissions(
      publish: ["mh.*.*.c", "mh.*.*.cmd", "$JS.ACK.\(FleetLayout.readings).\(FleetLayout.consumer).>"]
        + requests.map { "$JS.API.\($0)" },
      subscribe: ["\(FleetLayout.inboxPrefix(name)).>"])
  }
}
