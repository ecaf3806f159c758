package import Foundation

/// The numbers of a state folder at one moment, for those who watch it. There is no health value, user or reading's name in them.
package struct StoreFigures: Sendable, Hashable {
  /// A receiver of the session.
  package struct Sink: Sendable, Hashable {
    package let name: String
    /// Whether it has accepted its token, and not refused it since.
    package let isValid: Bool
    /// When the oldest reading that it is still to get was stored, microseconds since 1970-01-01T00:00Z; nil when it has all.
    package let oldestMicroseconds: Int64?

    package init(name: String, isValid: Bool, oldestMicroseconds: Int64?) {
      (self.name, self.isValid, self.oldestMicroseconds) = (name, isValid, oldestMicroseconds)
    }
  }

  /// How many readings are in one state at one receiver.
  package struct Deliveries: Sendable, Hashable {
    package let sink: String
    package let state: DeliveryState
    package let count: Int

    package init(sink: String, state: DeliveryState, count: Int) {
      (self.sink, self.state, self.count) = (sink, state, count)
    }
  }

  /// How many readings a receiver has refused for good, by reason.
  package struct DeadLetters: Sendable, Hashable {
    package let sink: String
    /// A stable word; nil of those that were not looked at.
    package let reason: String?
    package let count: Int

    package init(sink: String, reason: String?, count: Int) {
      (self.sink, self.reason, self.count) = (sink, reason, count)
    }
  }

  /// A meter and when a read of it last came to its end, microseconds since 1970-01-01T00:00Z.
  package struct Meter: Sendable, Hashable {
    package let uuid: UUID
    package let readMicroseconds: Int64

    package init(uuid: UUID, readMicroseconds: Int64) {
      (self.uuid, self.readMicroseconds) = (uuid, readMicroseconds)
    }
  }

  /// The session's receivers, its own first; none without a session.
  package var sinks: [Sink] = []
  package var deliveries: [Deliveries] = []
  package var deadLetters: [DeadLetters] = []
  /// Bytes of the contents that are kept.
  package var bytes: Int64 = 0
  /// Drivers that are kept away, whatever the meter.
  package var quarantinedDrivers = 0
  /// When a read of any meter last came to its end; nil before the first one.
  package var lastReadMicroseconds: Int64?
  /// The meters that were read, the last one first; empty unless they were asked for.
  package var meters: [Meter] = []
  /// How far the clocks of receivers were ahead of this machine's when that was last worth noting, in seconds.
  package var skews: [String: Int] = [:]
  /// When a backup was made last, microseconds since 1970-01-01T00:00Z; nil when the folder knows of none.
  package var backupMicroseconds: Int64?
  /// How many peripherals are chosen to be read passively.
  package var passivePeripherals = 0

  /// Those of an empty folder.
  package init() {}

  /// More meters than these are not listed.
  package static let meterLimit = 1_000
  /// Of more dead letters the reasons are not looked at.
  package static let deadLetterLimit = 10_000
}
