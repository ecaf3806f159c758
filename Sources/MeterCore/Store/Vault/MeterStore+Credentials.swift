public import Foundation
internal import GRDB

/// Which meters a stored key or licence serves.
public enum CredentialScope: Sendable, Hashable {
  /// All meters of this gateway.
  case gateway
  /// All meters of one catalogue entry.
  case peripheral(UInt32)
  /// One meter, by ``MeterIdentity/peripheralUUID``.
  case meter(UUID)

  /// The scope's stable name.
  package var name: String {
    switch self {
    case .gateway: "gateway"
    case .peripheral: "peripheral"
    case .meter: "meter"
    }
  }

  /// What it is about: a peripheral id, a meter's UUID, or nothing.
  package var subject: String {
    switch self {
    case .gateway: ""
    case .peripheral(let id): String(id)
    case .meter(let uuid): uuid.uuidString.lowercased()
    }
  }

  init?(name: String, subject: String) {
    switch name {
    case "gateway": self = .gateway
    case "peripheral":
      guard let id = UInt32(subject) else { return nil }
      self = .peripheral(id)
    case "meter":
      guard let uuid = UUID(uuidString: subject) else { return nil }
      self = .meter(uuid)
    default: return nil
    }
  }
}

/// A stored key or licence without its value.
package struct StoredCredential: Sendable, Hashable {
  /// Its name in the registry.
  package let name: String
  /// Which meters it serves.
  package let scope: CredentialScope
  /// When it was entered, microseconds since 1970-01-01T00:00Z.
  package let changedMicroseconds: Int64
}

extension MeterStore {
  /// Longest name and value: a licence file has at most 64 KiB.
  package static let credentialNameLimit = 64
  /// Longest value of a credential, in bytes.
  package static let credentialValueLimit = 64 << 10

  /// Stores a key or licence, encrypted; it is on disk when this returns. The caller has checked its format.
  ///
  /// - Throws: ``StoreError``: `vault_key` names what is wrong with the key that encrypts it.
  public func setCredential(_ value: [UInt8], name: String, scope: CredentialScope) throws(StoreError) {
    guard (1...Self.credentialNameLimit).contains(name.utf8.count),
      (1...Self.credentialValueLimit).contains(value.count)
    else {
      throw StoreError(
        .storageLimit,
        "a credential has a name of 1 to \(Self.credentialNameLimit) bytes and a value of 1 to "
          + "\(Self.credentialValueLimit) bytes.")
    }
    let vault = vault
    try transaction { db in
      try CredentialTable(db: db, vault: vault)
        .set(value, scope: scope.name, subject: scope.subject, name: name)
    }
  }

  /// The value of a stored key or licence; nil when there is none.
  package func credential(_ name: String, scope: CredentialScope) throws(StoreError) -> [UInt8]? {
    let vault = vault
    return try reading { db in
      try CredentialTable(db: db, vault: vault).get(scope: scope.name, subject: scope.subject, name: name)
    }
  }

  /// Whether a key or licence is stored; its value is not touched.
  package func hasCredential(_ name: String, scope: CredentialScope) throws(StoreError) -> Bool {
    try reading { db in
      try Bool.fetchOne(
        db, sql: "SELECT EXISTS (SELECT 1 FROM credential WHERE scope = ? AND subject = ? AND name = ?)",
        arguments: [scope.name, scope.subject, name]) ?? false
    }
  }

  /// What is stored, by scope and name; never a value.
  package func credentials() throws(StoreError) -> [StoredCredential] {
    try reading { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT scope, subject, name, changed_us FROM credential
          WHERE scope IN ('gateway', 'peripheral', 'meter') ORDER BY name, scope, subject
          """
      ).compactMap { row in
        try CredentialScope(name: row["scope"], subject: row["subject"]).map {
          try StoredCredential(name: row["name"], scope: $0, changedMicroseconds: row["changed_us"])
        }
      }
    }
  }

  /// Forgets a key or licence; it is overwritten on disk. Works without the key that encrypted it.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public func forgetCredential(_ name: String, scope: CredentialScope) throws(StoreError) -> Bool {
    let vault = vault
    return try transaction { db in
      try CredentialTable(db: db, vault: vault).remove(scope: scope.name, subject: scope.subject, name: name)
    }
  }

  /// Keeps data for one meter, encrypted; nil forgets it.
  ///
  /// - Parameters:
  ///   - data: The content; its format is the caller's to check.
  ///   - key: Its name in the registry, such as `encryption-key`.
  ///   - uuid: ``MeterIdentity/peripheralUUID``.
  public func storeData(_ data: [UInt8]?, forKey key: String, ofPeripheralUUID uuid: UUID) throws(StoreError) {
    guard let data else {
      try forgetCredential(key, scope: .meter(uuid))
      return
    }
    try setCredential(data, name: key, scope: .meter(uuid))
  }
}

extension MeterStore {
  /// The key that a radio shares with the meter at an address; nil when they have none.
  package func bond(with address: String) throws(StoreError) -> [UInt8]? {
    let vault = vault
    return try reading { db in
      try CredentialTable(db: db, vault: vault).get(scope: "bond", subject: address, name: "key")
    }
  }

  /// The keys that a radio shares with all meters whose address, as it was kept, begins with a text.
  package func bonds(withPrefix prefix: String) throws(StoreError) -> [[UInt8]] {
    let vault = vault
    return try reading { db in
      let table = CredentialTable(db: db, vault: vault)
      let subjects = try String.fetchAll(
        db, sql: "SELECT subject FROM credential WHERE scope = 'bond' AND name = 'key' AND substr(subject, 1, ?) = ?",
        arguments: [prefix.count, prefix])
      return try subjects.sorted().compactMap { try table.get(scope: "bond", subject: $0, name: "key") }
    }
  }

  /// Keeps the key that a radio shares with the meter at an address; nil forgets it.
  package func setBond(_ bond: [UInt8]?, with address: String) throws(StoreError) {
    let vault = vault
    try transaction { db in
      let table = CredentialTable(db: db, vault: vault)
      if let bond {
        try table.set(bond, scope: "bond", subject: address, name: "key")
      } else {
        try table.remove(scope: "bond", subject: address, name: "key")
      }
    }
  }
}
