public import HostErrors

/// Why a setting of a broker cannot be used.
public struct MQTTSinkError: HostError, Hashable {
  /// Stable names of the reasons.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The address is none that may be used.
    case address = "broker_address"
    /// A name that stands in topics, or the client id, is none that a broker takes.
    case name = "topic_name"
    /// A number that cannot be.
    case outOfRange = "broker_number"
    /// A part that goes with TLS only, or without TLS only.
    case encryption = "broker_encryption"
  }

  /// The reason.
  public let code: Code
  /// What is wrong, for people.
  public let message: String
  /// What to do about it.
  public let hint: String?

  init(_ code: Code, _ message: String, hint: String? = nil) {
    (self.code, self.message, self.hint) = (code, message, hint)
  }

  /// Somebody has written the setting.
  public var kind: HostErrorKind { .usage }
}
