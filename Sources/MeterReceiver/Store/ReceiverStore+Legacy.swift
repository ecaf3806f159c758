// Records that are named by the receiver's own id.

extension ReceiverStore {
  func account(organization: String, idOrUID: String) async throws -> ReceiverAccount? {
    try await read { database in
      guard (try? Self.checkIdentifier(idOrUID)) != nil else { return nil }
      let byID = try database.row(
        "SELECT * FROM account WHERE organization_id = $1 AND id = $2", organization, idOrUID)
      return try byID.map(ReceiverAccount.init(row:))
        ?? Self.account(organization: organization, uid: idOrUID, database)
    }
  }

  func replaceRecord(
    id: String, kind: RecordKind, of account: ReceiverAccount, countsItself: Bool,
    with make: @escaping @Sendable (_ logID: String, _ revision: Int) throws(FieldErrors) -> ValidRecord
  ) async throws -> StoreReceipt? {
    let time = timestamp
    return try await write(.account(account.number)) { database in
      guard let stored = try Self.row(id: id, kind: kind, of: account, database) else { return nil }
      let record = try make(try stored["log_id"], try stored["revision"])
      var outcome = try StoreOutcome(record, stored: stored, trustsHash: false)
      var replacement = record
      if outcome == .conflict && !countsItself {
        replacement = try make(try stored["log_id"], try Self.revision(after: stored["revision"]))
        outcome = .updated
      }
      if outcome == .updated { try Self.update(try stored["number"], to: replacement, time: time, database) }
      return try Self.receipt(of: replacement, outcome, stored)
    }
  }

  private static func revision(after stored: Int) throws(FieldErrors) -> Int {
    guard stored < RecordFields.revisionLimit else {
      var errors = FieldErrors()
      errors.add("revision", "of the record is the highest there is; delete the record and store it again")
      throw errors
    }
    return stored + 1
  }

  func deleteRecord(id: String, kind: RecordKind, of account: ReceiverAccount) async throws -> Bool {
    try await write(.account(account.number)) { database in
      guard let stored = try Self.row(id: id, kind: kind, of: account, database) else { return false }
      try Self.deleteRecord(number: try stored["number"], database)
      return true
    }
  }

  static func deleteRecord(number: Int64, _ database: any StoreTransaction) throws {
    try database.execute("DELETE FROM record WHERE number = $1", number)
  }

  private static func row(
    id: String, kind: RecordKind, of account: ReceiverAccount, _ database: any StoreTransaction
  ) throws -> SQLRow? {
    guard (try? checkIdentifier(id)) != nil else { return nil }
    return try database.row(
      "SELECT * FROM record WHERE id = $1 AND account_number = $2 AND space = $3 AND kind = $4",
      id, account.number, kind.space, kind.name)
  }
}
