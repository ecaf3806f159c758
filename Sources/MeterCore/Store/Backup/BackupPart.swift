/// One part of a backup.
package enum BackupPart: Sendable, Hashable {
  /// The state database.
  case database
  /// The key that encrypts the secrets in it.
  case key
  /// Another file of the state folder, by its path there.
  case file(String)
  /// A file of the machine's configuration, by its path: `trust.json`, `registry.d/...`.
  case machine(String)

  private static let (files, machine) = ("state/", "machine/")

  /// The part's name in the backup.
  package var name: String {
    switch self {
    case .database: "database"
    case .key: "key"
    case .file(let path): Self.files + path
    case .machine(let path): Self.machine + path
    }
  }

  /// The part of a name; nil for a name that leads anywhere else than a backup may.
  package init?(name: String) {
    if name == "database" {
      self = .database
    } else if name == "key" {
      self = .key
    } else if name.hasPrefix(Self.files) {
      let path = String(name.dropFirst(Self.files.count))
      guard StateParts.isPart(path) else { return nil }
      self = .file(path)
    } else if name.hasPrefix(Self.machine) {
      let path = String(name.dropFirst(Self.machine.count))
      guard StateParts.names(of: path) != nil else { return nil }
      self = .machine(path)
    } else {
      return nil
    }
  }
}
