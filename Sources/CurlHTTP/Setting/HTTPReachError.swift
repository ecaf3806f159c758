package import HostErrors

/// Why a receiver cannot be reached as a setting says.
package struct HTTPReachError: HostError, Hashable {
  /// Stable names of the reasons.
  package enum Code: String, Sendable, Hashable, CaseIterable {
    /// The address is none that may be used.
    case address = "receiver_address"
    /// A certificate or key file is missing, cannot be read, or belongs to nothing.
    case tlsFile = "tls_file"
    /// Whose the receiver is has another proof already.
    case receiverUser = "receiver_user"
    /// The proxy cannot be used, or would see too much.
    case proxy
  }

  /// The reason.
  package let code: Code
  /// What is wrong, for people.
  package let message: String
  /// What to do about it.
  package let hint: String?

  init(_ code: Code, _ message: String, hint: String? = nil) {
    (self.code, self.message, self.hint) = (code, message, hint)
  }

  /// Somebody has written the setting.
  package var kind: HostErrorKind { .usage }
}
