public import HostErrors

/// What went wrong while the receiver was set up, run or asked for its contents.
///
/// Refusals of single requests are no errors of the receiver: they are its HTTP answers.
public struct ReceiverError: HostError {
  /// A stable name of the failure, for programs.
  public enum Code: String, Sendable, CaseIterable {
    /// The configuration contradicts itself or is out of bounds.
    case invalidConfiguration = "invalid_configuration"
    /// The address cannot be listened on.
    case cannotListen = "cannot_listen"
    /// The server ended although nobody asked it to.
    case stopped
    /// The database cannot be opened, read or written.
    case databaseFailure = "database_failure"
    /// The database was written by a newer MeterHost.
    case databaseTooNew = "database_too_new"
    /// The PostgreSQL server cannot be reached, or is not ready.
    case databaseUnreachable = "database_unreachable"
    /// The PostgreSQL server refuses the user, the password, or the database's name.
    case databaseRefused = "database_refused"
    /// The PostgreSQL database does not store text as UTF-8.
    case databaseEncoding = "database_encoding"
    /// The PostgreSQL server says that a commit is on disk before it is.
    case databaseNotDurable = "database_not_durable"
    /// An organisation or user id has characters or a length that cannot stand in a URL path.
    case invalidIdentifier = "invalid_identifier"
    /// A token is too short to be safe or cannot stand in an Authorization header.
    case invalidToken = "invalid_token"
    /// The token already belongs to someone else.
    case tokenInUse = "token_in_use"
    /// The organisation or user exists already.
    case alreadyExists = "already_exists"
    /// There is no such organisation or user.
    case notFound = "not_found"
    /// The user has records, which are not to be deleted along with them.
    case hasReadings = "has_readings"
  }

  /// The stable name of the failure.
  public var code: Code
  /// What happened and what to do about it, in one or two sentences. Never holds a token or a health value.
  public var message: String
  /// The error below this one, where there is one.
  public var cause: (any Error)?

  init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    (self.code, self.message, self.cause) = (code, message, cause)
  }
}

extension ReceiverError {
  /// Whether the database cannot be used now: nothing is known to be stored, and the same request may succeed later.
  var isOfTheDatabase: Bool {
    switch code {
    case .databaseFailure, .databaseUnreachable, .databaseRefused: true
    default: false
    }
  }
}

extension ReceiverError {
  /// Decides the exit status.
  public var kind: HostErrorKind {
    switch code {
    case .invalidConfiguration, .invalidIdentifier, .invalidToken, .tokenInUse: .usage
    case .cannotListen, .databaseUnreachable, .databaseRefused: .unavailable
    default: .failed
    }
  }

  /// The message and what lies below it.
  public var fullMessage: String { message + cause.map { "\($0)" }.inBrackets }

  /// The message, its code, and what lies below it.
  public var description: String {
    "\(message) (\(code.rawValue))" + (cause.map { ": \($0)" } ?? "")
  }
}
