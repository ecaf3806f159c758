import HostErrors

/// Why a command of this program failed, where it is no error of the receiver itself.
struct ProgramError: HostError {
  let kind: HostErrorKind
  /// A stable name of the failure, for programs.
  let code: String
  /// What happened, for people.
  let message: String
  /// What to do about it; nil where the message says it.
  let hint: String?

  init(_ kind: HostErrorKind, code: String, _ message: String, hint: String? = nil) {
    (self.kind, self.code, self.message, self.hint) = (kind, code, message, hint)
  }
}
