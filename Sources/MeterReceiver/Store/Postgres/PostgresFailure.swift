import Foundation

/// What a PostgreSQL server said when it did not do what it was asked.
struct PostgresFailure: Error {
  /// The class and code of the failure (PostgreSQL's Appendix A), empty when the connection was lost.
  var state: String
  /// One line without values, empty when there is none.
  var message: String
  /// Whether the transaction has certainly not been committed: after a lost COMMIT nobody knows.
  var isUndone = true

  /// Whether another connection may do better: this one was lost, or the server is stopping.
  var isOfTheConnection: Bool { state.isEmpty || state.hasPrefix("08") || state.hasPrefix("57P0") }
}

extension ReceiverError {
  /// A statement's failure. Only what concerns the server as a whole is quoted: other messages may hold values.
  init(_ failure: PostgresFailure, at address: PostgresAddress) {
    let words = ["53", "57", "58"].contains(String(failure.state.prefix(2))) ? ", \(failure.message)" : ""
    switch failure.state {
    case _ where failure.isOfTheConnection:
      self.init(
        .databaseUnreachable, "The connection to the database \(address.name) was lost; see whether the server runs")
    case "42501", "25006":
      self.init(
        .databaseFailure,
        "The user may not make or change the tables of the database \(address.name) (\(failure.state)); give them "
          + "CREATE on the database, and name the primary server")
    default:
      self.init(
        .databaseFailure,
        "The database \(address.name) failed with SQLSTATE \(failure.state)\(words); see the log of the server")
    }
  }

  /// A connection that was not made.
  ///
  /// - Parameters:
  ///   - message: What libpq says, with the server's SQLSTATE where a server answered.
  ///   - password: What must not stand in the message.
  init(connecting message: String, password: String, to address: PostgresAddress) {
    let shown = (password.isEmpty ? message : message.replacing(password, with: "…"))
      .split(whereSeparator: \.isNewline).prefix { !$0.hasPrefix("LOCATION:") }.joined(separator: " ")
    switch Self.state(in: message) {
    case let state? where state.hasPrefix("28"):
      self.init(
        .databaseRefused,
        "The server refuses the login to the database \(address.name) (SQLSTATE \(state)); check user and password, "
          + "~/.pgpass, and the server's pg_hba.conf")
    case "3D000":
      self.init(
        .databaseRefused,
        "There is no database \(address.name); make it with createdb --encoding=UTF8 --template=template0"
      )
    case nil where message.contains("no password supplied"):
      self.init(
        .databaseRefused,
        "The database \(address.name) wants a password and none was given; put it into ~/.pgpass")
    default:
      self.init(
        .databaseUnreachable,
        "The database \(address.name) cannot be reached: \(shown.isEmpty ? "no answer in time" : shown); "
          + "see whether the server runs and accepts connections from here")
    }
  }

  /// The SQLSTATE of a verbose message: `FATAL:  28P01: password authentication failed`.
  static func state(in message: String) -> String? {
    message.firstMatch(of: #/: {2}([0-9A-Z]{5}): /#).map { String($0.1) }
  }
}
