public import HostErrors

/// A driver, its bundle or its worker did what it must not; the session is over and the host goes on (rule R24).
public struct DriverFault: HostError, Hashable {
  /// What kind of fault it is. The raw value is stable.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The bundle could not be mapped or has no entry.
    case loadFailed = "load_failed"
    /// The bundle holds no driver of this id, or the driver lacks the capability.
    case unknownDriver = "unknown_driver"
    /// The bundle or driver refused to serve, with a reason of its own.
    case refused
    /// The driver broke a rule of the contract; `rule` says which.
    case brokeRule = "broke_rule"
    /// The worker died.
    case crashed
    /// The worker was killed from outside: nobody's fault, and not the driver's.
    case killed = "worker_killed"
    /// The driver did not come back in time.
    case hung
    /// The worker sent what the protocol does not allow.
    case brokeProtocol = "broke_protocol"
    /// The worker could not be started.
    case workerFailed = "worker_failed"
    /// The session has ended.
    case closed
    /// The caller gave up.
    case cancelled
  }

  /// What kind of fault it is.
  public var code: Code
  /// The driver's id, or the bundle's name before a driver is known.
  public var driver: String
  /// The rule that was broken ("R12"), when it is known.
  public var rule: String?
  /// What happened, and what to do.
  public var message: String
  /// The system's own words, when there are some.
  public var cause: String?

  /// Makes a fault.
  public init(_ code: Code, driver: String, rule: String? = nil, message: String, cause: String? = nil) {
    (self.code, self.driver, self.rule, self.message, self.cause) = (code, driver, rule, message, cause)
  }

  /// Decides the exit status.
  public var kind: HostErrorKind { code == .cancelled ? .cancelled : .failed }

  /// One line for people.
  public var fullMessage: String { fullMessage(at: driver, rule: rule, cause: cause) }
}
