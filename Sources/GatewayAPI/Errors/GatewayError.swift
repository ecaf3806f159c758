// Who has a gateway's error has its kind.
@_exported public import HostErrors

/// Why an operation of the gateway failed, in a form that the command line, `--json` and library callers share.
public struct GatewayError: HostError {
  /// What kind of failure it is; decides the exit status.
  public typealias Kind = HostErrorKind

  /// What kind of failure it is.
  public let kind: Kind
  /// A stable name of the failure, for programs.
  public let code: String
  /// What happened, for people.
  public let message: String
  /// What to do about it; nil where the message says it.
  public let hint: String?
  /// What lies beneath.
  public let cause: (any Error)?

  /// An error of a gateway operation.
  public init(_ kind: Kind, code: String, _ message: String, hint: String? = nil, cause: (any Error)? = nil) {
    (self.kind, self.code, self.message, self.hint, self.cause) = (kind, code, message, hint, cause)
  }
}
