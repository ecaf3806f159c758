/// How the streams and the consumer of a fleet are to be.
package struct FleetSettings: Sendable, Hashable {
  /// On how many servers each message lies: 1, 3 or 5.
  package var replicas: Int64
  /// The most bytes of readings. When they are reached, the server takes no more, and gateways wait.
  package var maxBytes: Int64
  /// How long the server keeps readings.
  package var days: Int64

  /// Settings.
  package init(replicas: Int64 = 1, maxBytes: Int64 = 1 << 30, days: Int64 = 14) {
    (self.replicas, self.maxBytes, self.days) = (replicas, maxBytes, days)
  }

  private static let second: Int64 = 1_000_000_000
  private static let day = 86_400 * second
  /// The largest message: the largest record of a receiver, and what stands before it.
  private static let messageLimit: Int64 = (1 << 20) + (4 << 10)

  /// What is to be done where it is missing or otherwise, in this order.
  package var parts: [FleetPart] {
    [
      FleetPart(kind: .stream(FleetLayout.readings), setting: readings),
      FleetPart(kind: .stream(FleetLayout.states), setting: states),
      FleetPart(kind: .consumer(stream: FleetLayout.readings, name: FleetLayout.consumer), setting: consumer),
    ]
  }

  /// Readings are taken and never deleted but by their age: another consumer may replay them. A full stream refuses the newest one,
  /// which its gateway then keeps; it never drops an old one that nobody has stored.
  private var readings: JetStreamSetting {
    JetStreamSetting(members: [
      .init("name", .text(FleetLayout.readings)), .init("subjects", .texts(["mh.*.*.r.>"])),
      .init("retention", .text("limits")), .init("storage", .text("file")), .init("num_replicas", .integer(replicas)),
      .init("discard", .text("new")), .init("max_age", .integer(days * Self.day)),
      .init("max_bytes", .integer(maxBytes)), .init("max_msg_size", .integer(Self.messageLimit)),
      // The receiver knows doubles for ever; this saves traffic only, and takes the server's memory.
      .init("duplicate_window", .integer(120 * Self.second)),
      .init("deny_delete", .flag(true), whenAbsent: .flag(false)),
      .init("deny_purge", .flag(true), whenAbsent: .flag(false)),
      .init("compression", .text("s2"), whenAbsent: .text("none")),
    ])
  }

  /// The last word of each gateway, and nothing else of it.
  private var states: JetStreamSetting {
    JetStreamSetting(members: [
      .init("name", .text(FleetLayout.states)), .init("subjects", .texts(["mh.*.*.s"])),
      .init("retention", .text("limits")), .init("storage", .text("file")), .init("num_replicas", .integer(replicas)),
      .init("discard", .text("old")), .init("max_msgs_per_subject", .integer(1)),
      .init("max_age", .integer(30 * Self.day)), .init("max_bytes", .integer(64 << 20)),
      .init("max_msg_size", .integer(4096)),
    ])
  }

  /// A message that nobody has acknowledged comes again after half a minute, for ever: only the database's word ends it.
  private var consumer: JetStreamSetting {
    JetStreamSetting(members: [
      .init("name", .text(FleetLayout.consumer)), .init("durable_name", .text(FleetLayout.consumer)),
      .init("ack_policy", .text("explicit")), .init("deliver_policy", .text("all")),
      .init("replay_policy", .text("instant")), .init("ack_wait", .integer(30 * Self.second)),
      .init("max_ack_pending", .integer(2000)), .init("max_deliver", .integer(-1), whenAbsent: .integer(-1)),
    ])
  }
}

/// A stream or a consumer, and how it is to be.
package struct FleetPart: Sendable, Hashable {
  /// What it is.
  package enum Kind: Sendable, Hashable {
    case stream(String)
    case consumer(stream: String, name: String)

    /// For people.
    package var words: String {
      switch self {
      case .stream(let name): "the stream \(name)"
      case .consumer(let stream, let name): "the consumer \(name) of \(stream)"
      }
    }

    /// Its name.
    package var name: String {
      switch self {
      case .stream(let name), .consumer(_, let name): name
      }
    }
  }

  package let kind: Kind
  package let setting: JetStreamSetting
}
