/// How one check of the conformance suite ended.
public enum CheckStatus: String, Sendable, Hashable, Codable, CaseIterable {
  /// The driver does what the rule asks.
  case passed
  /// The driver breaks the rule.
  case failed
  /// The driver's process ended while the check ran: a signal, an exit, a hang or a forbidden system call.
  case crashed
  /// Allowed, but likely to hurt: the author should look.
  case warning
  /// Nothing was checked; the result says why.
  case skipped
}
