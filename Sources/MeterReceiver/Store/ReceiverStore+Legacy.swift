import GRDB

// Records that are named by the receiver's own id, as the Legacy wire format does.

extension ReceiverStore {
  func account(organization: String, idOrUID: String) async throws -> ReceiverAccount? {
    try await read { database in
      guard (try? Self.checkIdentifier(idOrUID)) != nil else { return nil }
      let byID = try Row.fetchOne(
        database, sql: "SELECT * FROM account WHERE organization_id = ? AND id = ?", arguments: [organization, idOrUID])
      return try byID.map(ReceiverAccount.init(row:))
        ?? Self.account(organization: organization, uid: idOrUID, database)
    }
  }

  func replaceRecord(
    id: String, kind: RecordKind, of account: ReceiverAccount, countsItself: Bool,
    with make: @escaping @Sendable (_ logID: String, _ revision: Int) throws(FieldErrors) -> ValidRecord
  ) async throws -> StoreReceipt? {
    let time = timestamp
    return try await write { database in
      guard let stored = try Self.row(id: id, kind: kind, of: account, database) else { return nil }
      let record = try make(stored["log_id"], stored["revision"])
      var outcome = StoreOutcome(
        record, storedKind: stored["kind"], storedRevision: stored["revision"], storedContent: stored["content"])
      var replacement = record
      if outcome == .conflict && !countsItself {
        replacement = record.next
        outcome = .updated
      }
      if outcome == .updated { try Self.update(stored["number"], to: replacement, time: time, database) }
      return Self.receipt(of: replacement, outcome, stored)
    }
  }

  func deleteRecord(id: String, kind: RecordKind, of account: ReceiverAccount) async throws -> Bool {
    try await write { database in
      guard let stored = try Self.row(id: id, kind: kind, of: account, database) else { return false }
      try Self.deleteRecord(number: stored["number"], database)
      return true
    }
  }

  static func deleteRecord(number: Int64, _ database: Database) throws {
    try database.execute(sql: "DELETE FROM record WHERE number = ?", arguments: [number])
  }

  private static func row(
    id: String, kind: RecordKind, of account: ReceiverAccount, _ database: Database
  ) throws -> Row? {
    guard (try? checkIdentifier(id)) != nil else { return nil }
    return try Row.fetchOne(
      database, sql: "SELECT * FROM record WHERE id = ? AND account_number = ? AND space = ? AND kind = ?",
      arguments: [id, account.number, kind.space, kind.name])
  }
}
