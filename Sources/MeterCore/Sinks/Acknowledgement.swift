/// What it means that a sink's delivery is acknowledged: who has the reading then.
///
/// It is shown beside each delivery, and decides how long a reading's content stays here once it is delivered
/// (``SinkCapabilities/keepsContent``).
public enum Acknowledgement: String, Sendable, Hashable, Codable, CaseIterable {
  /// The reading is on a disk of this machine.
  case disk
  /// The receiver has stored the reading.
  case receiver
  /// Somebody in between has it, and has not said that anybody stored it.
  case broker
  /// The address that was called has answered that it took the reading. What it did with it, only it knows.
  case endpoint

  /// The same for people, as the end of a sentence.
  public var text: String {
    switch self {
    case .disk: "it is on this machine's disk"
    case .receiver: "the receiver has stored it"
    case .broker: "the broker has it"
    case .endpoint: "the endpoint has answered"
    }
  }

  /// How long a reading's content stays where a broker's word is all that there is: long enough for a person to find out that the broker
  /// has lost what it took, and to send it again.
  public static let brokerKeeps = Duration.seconds(7 * 86_400)
}
