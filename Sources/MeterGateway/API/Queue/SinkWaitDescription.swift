import MeterCore

/// A receiver to which nothing is sent for a while, as `--json` shows it.
public struct SinkWaitDescription: Codable, Sendable, Hashable {
  /// The receiver.
  public var sink: String
  /// How long still, in seconds.
  public var seconds: Int
  /// Whether the receiver has asked for it (Retry-After); else attempts have failed.
  public var isAsked: Bool
  /// What the last attempt came to.
  public var error: String

  enum CodingKeys: String, CodingKey {
    case sink, seconds, error
    case isAsked = "asked"
  }

  /// The receivers that are waited for now, by name; nil for none.
  static func all(in store: MeterStore) throws(StoreError) -> [SinkWaitDescription]? {
    let now = BootClock.now
    let waits = try store.sinkWaits(at: now).sorted { $0.key < $1.key }.map { sink, wait in
      let left = wait.left(at: now).components
      return SinkWaitDescription(
        sink: sink, seconds: Int(left.seconds) + (left.attoseconds > 0 ? 1 : 0), isAsked: wait.isAsked(at: now),
        error: wait.error)
    }
    return waits.isEmpty ? nil : waits
  }

  /// A line for people.
  public var text: String {
    "nothing is sent to the receiver \(sink) for \(seconds) s more: "
      + (isAsked ? "it has asked for that" : "the last attempts have failed")
      + (error.isEmpty ? "" : " (\(error))") + "; `meterhost queue flush` sends now"
  }
}
