/// What the name of a driver's key says, by its bytes (rule R23).
///
/// The worker, the host, the store and recordings have to agree: what one of them takes for a secret and another one does not would be
/// encrypted here and stand in the clear there.
package enum StorageName {
  private static let (user, meter, credentials) = ("user/", "meter/", "credential/")
  private static let secrets = ["user/secret/", "meter/secret/"]

  /// Whether the key belongs to the session's user.
  package static func isUsers(_ name: String) -> Bool { name.beginsExactly(with: user) }

  /// Whether the key belongs to the meter, whoever uses it.
  package static func isMeters(_ name: String) -> Bool { name.beginsExactly(with: meter) }

  /// Whether the key is one of storage, and has a name behind its place.
  package static func isKey(_ name: String) -> Bool {
    [user, meter].contains { name.beginsExactly(with: $0) && name.utf8.count > $0.utf8.count }
  }

  /// Whether the key is a secret of storage: it is encrypted at rest, and stays with the host.
  package static func isSecret(_ name: String) -> Bool { secrets.contains { name.beginsExactly(with: $0) } }

  /// Whether the key says where the next read goes on: everything of the user's but secrets.
  package static func isResumeCursor(_ name: String) -> Bool { isUsers(name) && !isSecret(name) }

  /// The key by which a driver names a credential of the registry.
  package static func credential(_ name: String) -> String { credentials + name }

  /// The credential that a key names; nil where it names none.
  package static func credential(namedBy key: String) -> String? {
    // Bytes are dropped: the slash and a mark behind it are one letter.
    key.beginsExactly(with: credentials) ? String(key.utf8.dropFirst(credentials.utf8.count)) : nil
  }
}
