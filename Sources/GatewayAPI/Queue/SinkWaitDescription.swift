/// A receiver to which nothing is sent for a while, as `--json` shows it.
public struct SinkWaitDescription: Codable, Sendable, Hashable {
  /// The receiver's name.
  public var sink: String
  /// How long still, in seconds.
  public var seconds: Int
  /// Whether the receiver has asked for it (Retry-After); else attempts have failed.
  public var isAsked: Bool
  /// What the last attempt failed with, for people; may be empty.
  public var error: String

  enum CodingKeys: String, CodingKey {
    case sink, seconds, error
    case isAsked = "asked"
  }

  package init(sink: String, seconds: Int, isAsked: Bool, error: String) {
    self.sink = sink
    self.seconds = seconds
    self.isAsked = isAsked
    self.error = error
  }

  /// A line for people.
  public var text: String {
    "nothing is sent to the receiver \(sink) for \(seconds) s more: "
      + (isAsked ? "it has asked for that" : "the last attempts have failed")
      + (error.isEmpty ? "" : " (\(error))") + "; `meterhost queue flush` sends now"
  }
}
