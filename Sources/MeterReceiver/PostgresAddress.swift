import CPostgres

/// Where a PostgreSQL database is, in any form that libpq reads. It has no description: it may hold a password.
struct PostgresAddress: Sendable {
  /// The connection text as it was given.
  let text: String
  /// Server and database for messages: never the password.
  let name: String

  /// Whether the text means PostgreSQL, and not a file.
  static func isMeant(by text: String) -> Bool {
    ["postgres://", "postgresql://"].contains { text.hasPrefix($0) }
  }

  /// - Throws: `invalidConfiguration` when it is no such address, or one that libpq would read otherwise than it was
  ///   meant; `databaseFailure` without libpq.
  init(_ text: String) throws(ReceiverError) {
    if let reason = mh_postgres_load() {
      throw ReceiverError(
        .databaseFailure,
        "PostgreSQL needs libpq, which cannot be loaded (\(String(cString: reason))); install the package libpq5")
    }
    let options = Self.options(of: text)
    // A password with @ or / in it ends where its writer did not mean it to, and its rest is taken for a host or a name:
    // from then on it would stand in messages.
    let (host, port, name) = (options["host"] ?? "", options["port"] ?? "", options["dbname"] ?? "")
    guard !host.contains("@"), port.utf8.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ",") }),
      !name.contains("@"), !name.isEmpty
    else {
      throw ReceiverError(
        .invalidConfiguration,
        "The database must be postgres://USER@HOST:PORT/NAME or postgres://USER@/NAME?host=/run/postgresql; in a "
          + "password write @ as %40, / as %2F and : as %3A, or leave it to ~/.pgpass")
    }
    self.text = text
    let server = host.isEmpty ? "the local server" : port.isEmpty ? host : "\(host), port \(port)"
    self.name = "\(name) of \(server)"
    hasPassword = options["password"] != nil
  }

  /// Whether a password stands in the text, where other users of the machine see it in the list of processes.
  let hasPassword: Bool

  /// What the text says by libpq's names; nothing when it is no address.
  private static func options(of text: String) -> [String: String] {
    guard !text.utf8.contains(0) else { return [:] }
    var options: [String: String] = [:]
    let isRead = withUnsafeMutablePointer(to: &options) { options in
      mh_postgres_parse(
        text,
        { keyword, value, context in
          guard let keyword, let value, let context else { return }
          context.assumingMemoryBound(to: [String: String].self).pointee[String(cString: keyword)] = String(
            cString: value)
        }, options)
    }
    return isRead == 0 ? [:] : options
  }
}
