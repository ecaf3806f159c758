public import HostErrors

/// Why a receiver's setting cannot be used.
public struct ReceiverSettingError: HostError, Hashable {
  /// Stable names of the reasons.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The address is none that may be used.
    case address = "receiver_address"
    /// A certificate or key file is missing, cannot be read, or belongs to nothing.
    case tlsFile = "tls_file"
    /// Whose the receiver is has another proof already.
    case receiverUser = "receiver_user"
    /// The proxy cannot be used, or would see too much.
    case proxy
    /// A number of requests that cannot be.
    case uploadLimit = "upload_limit"
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
