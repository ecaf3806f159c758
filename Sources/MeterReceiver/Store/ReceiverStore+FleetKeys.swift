// Who may speak to the message server of a fleet.

/// The public key of a gateway or of a receiver. The seed is nowhere in the database.
package struct FleetKey: Sendable, Equatable {
  /// The organisation whose gateway it is; nil of a receiver.
  package let organization: String?
  /// The gateway's or receiver's name, which stands in subjects.
  package let name: String
  /// The public nkey, `U...`.
  package let publicKey: String
  /// When it was made: RFC 3339, UTC.
  package let createdAt: String

  package init(organization: String?, name: String, publicKey: String, createdAt: String) {
    (self.organization, self.name, self.publicKey, self.createdAt) = (organization, name, publicKey, createdAt)
  }
}

extension ReceiverStore {
  /// Every key of one organisation's gateways, or of all gateways and receivers, in the order in which they were made.
  ///
  /// - Throws: `notFound` when there is no such organisation, else `databaseFailure` and what is said with it.
  package func fleetKeys(organization: String? = nil) throws(ReceiverError) -> [FleetKey] {
    try read { database -> [FleetKey] in
      if let organization, try !Self.organizationExists(organization, database) {
        throw ReceiverError(.notFound, "There is no organisation \(organization)")
      }
      return try database.rows(
        """
        SELECT * FROM fleet_key WHERE CAST($1 AS TEXT) IS NULL OR organization_id = $1 ORDER BY number
        """, organization
      ).map { try FleetKey($0) }
    }
  }

  /// Remembers keys, all of them or none.
  ///
  /// - Throws: `notFound` when there is no such organisation, `alreadyExists` for a name that is taken, else `databaseFailure` and what
  ///   is said with it.
  package func addFleetKeys(
    organization: String?, _ keys: [(name: String, publicKey: String)]
  ) throws(ReceiverError) {
    let time = timestamp
    try write { database in
      if let organization, try !Self.organizationExists(organization, database) {
        throw ReceiverError(.notFound, "There is no organisation \(organization); make it first")
      }
      for key in keys {
        guard try Self.fleetKey(organization, key.name, database) == nil else {
          throw ReceiverError(.alreadyExists, "\(key.name) is in the fleet already")
        }
        try database.execute(
          "INSERT INTO fleet_key (organization_id, name, public_key, created_at) VALUES ($1, $2, $3, $4)", organization,
          key.name, key.publicKey, time)
      }
    }
  }

  /// Forgets a key. The message server knows it until its configuration is made anew.
  ///
  /// - Throws: `notFound`, else `databaseFailure` and what is said with it.
  package func removeFleetKey(organization: String?, name: String) throws(ReceiverError) {
    try write { database in
      guard let row = try Self.fleetKey(organization, name, database) else {
        throw ReceiverError(.notFound, "There is no \(name) in the fleet")
      }
      let number: Int64 = try row["number"]
      try database.execute("DELETE FROM fleet_key WHERE number = $1", number)
    }
  }

  private static func fleetKey(
    _ organization: String?, _ name: String, _ database: any StoreTransaction
  ) throws -> SQLRow? {
    // SQLite's text ends at a NUL: what is no id must not find one that begins like it.
    guard (try? checkIdentifier(name)) != nil else { return nil }
    guard let organization else {
      return try database.row("SELECT * FROM fleet_key WHERE organization_id IS NULL AND name = $1", name)
    }
    return try database.row(
      "SELECT * FROM fleet_key WHERE organization_id = $1 AND name = $2", organization, name)
  }
}

extension FleetKey {
  fileprivate init(_ row: SQLRow) throws {
    self.init(
      organization: try row[optional: "organization_id"], name: try row["name"], publicKey: try row["public_key"],
      createdAt: UTCTimestamp(milliseconds: try row["created_at"]).text)
  }
}
