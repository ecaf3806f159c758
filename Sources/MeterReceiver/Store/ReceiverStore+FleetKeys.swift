// Who may speak to the message server of a fleet.

/// The public key of a gateway or of a receiver. The seed is nowhere in the database.
package struct FleetKey: Sendable, Equatable {
  /// The organisation whose gateway it is; nil of a receiver.
  package let organization: String?
  /// The gateway's or receiver's name, which stands in subjects: nobody else in the fleet has it.
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
        guard try Self.fleetKey(key.name, database) == nil else {
          throw ReceiverError(.alreadyExists, "The fleet has a gateway or receiver named \(key.name) already")
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
      guard let key = try Self.fleetKey(name, database), key.organization == organization else {
        throw ReceiverError(
          .notFound, "There is no \(organization == nil ? "receiver" : "gateway of the organisation") named \(name)")
      }
      try database.execute("DELETE FROM fleet_key WHERE name = $1", name)
    }
  }

  private static func fleetKey(_ name: String, _ database: any StoreTransaction) throws -> FleetKey? {
    // SQLite's text ends at a NUL: what is no id must not find one that begins like it.
    guard (try? checkIdentifier(name)) != nil else { return nil }
    return try database.row("SELECT * FROM fleet_key WHERE name = $1", name).map { try FleetKey($0) }
  }
}

extension FleetKey {
  fileprivate init(_ row: SQLRow) throws {
    self.init(
      organization: try row[optional: "organization_id"], name: try row["name"], publicKey: try row["public_key"],
      createdAt: UTCTimestamp(milliseconds: try row["created_at"]).text)
  }
}
