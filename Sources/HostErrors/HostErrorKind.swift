/// What kind of failure an error is; decides the exit status of the command that ends with it.
public enum HostErrorKind: String, Sendable, Hashable, Codable, CaseIterable {
  /// The operation was tried and failed.
  case failed
  /// The caller asked for something that does not exist or cannot be.
  case usage
  /// Something that is needed is not there: a radio, a registry, a receiver.
  case unavailable
  /// Trying again later may work: busy, a time limit.
  case temporary
  /// The caller gave up.
  case cancelled

  /// The exit status of a command, of `sysexits.h` where it has one.
  public var exitStatus: Int32 {
    switch self {
    case .failed: 1
    case .usage: 64
    case .unavailable: 69
    case .temporary: 75
    case .cancelled: 130
    }
  }
}
