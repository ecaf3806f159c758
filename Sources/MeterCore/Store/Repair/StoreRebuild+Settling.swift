internal import Foundation
internal import GRDB
import HostPrimitives

/// What of the new database's tables was damaged apart, and has to agree again.
extension StoreRebuild {
  /// Makes the tables agree with each other again.
  func settle(_ db: Database, _ names: [Int64: String], _ report: inout StoreRepair) throws {
    for record in try RecordWitness.unreadable(db) {
      report.lost.append(record.name)
      try db.execute(sql: "DELETE FROM record WHERE id = ?", arguments: [record.id])
      try db.execute(sql: "DELETE FROM delivery WHERE record = ?", arguments: [record.id])
    }
    let present = try Set(Int64.fetchAll(db, sql: "SELECT id FROM record"))
    let known = try Set(Int64.fetchAll(db, sql: "SELECT DISTINCT record FROM delivery")).union(names.keys)
    let gone = known.subtracting(present).sorted().map { names[$0] ?? "record \($0)" }
    report.lost += Set(gone).subtracting(report.lost).sorted()
    try removeOrphans(db)
    let receivers = try knownSinks(db)
    try mend(db, receivers)
    try holdUndecided(db, receivers, &report)
    try rememberRecords(db)
    try db.execute(sql: "DELETE FROM storage WHERE key GLOB 'user/*' AND NOT \(StorageTable.isSecret)")
    if try db.tableExists(CommitCount.table) {
      try CommitCount.removeImpossible(db)
      try CommitCount.begin(db)
    }
    if try Int.fetchOne(db, sql: "SELECT count(*) FROM session") == 0 {
      report.lostSession = true
      // Above every generation that a read may have started with.
      try db.execute(
        sql: "INSERT INTO session (id, generation) VALUES (1, ?)", arguments: [MeterStore.nowMicroseconds])
      // A token is its session's.
      if try db.tableExists(CredentialTable.table) { try TokenRow.remove(db) }
    }
    try settleHalfSession(db, &report)
    try settleOwnSink(db, &report)
    try HiddenRows.allowStrangers(db)
  }

  /// A session of which one half of the user is lost is lost.
  private func settleHalfSession(_ db: Database, _ report: inout StoreRepair) throws {
    try db.execute(
      sql: """
        UPDATE session SET user_id = NULL, organization_id = NULL, generation = ?
        WHERE (user_id IS NULL) <> (organization_id IS NULL)
        """, arguments: [MeterStore.nowMicroseconds])
    let isTokenLeft = try db.tableExists(CredentialTable.table) && TokenRow.exists(db)
    guard try db.changesCount > 0 || (isTokenLeft && SessionRow.fetch(db).user == nil) else { return }
    report.lostSession = true
    if isTokenLeft { try TokenRow.remove(db) }
  }

  /// The session's own receiver has a row, and no other one has its role; of one whose row is lost nobody knows the address.
  private func settleOwnSink(_ db: Database, _ report: inout StoreRepair) throws {
    guard try hasRoles(db) else { return }
    let own = MeterStore.defaultSink
    try db.execute(sql: "UPDATE sink SET role = iif(name = ?1, 'session', 'further')", arguments: [own])
    try db.execute(
      sql: """
        INSERT OR IGNORE INTO sink (name, setting, token_serial, role, kind, has_token) VALUES (?, x'', ?, 'session', '', ?)
        """, arguments: [own, Int64.random(in: 1...Int64.max), TokenRow.exists(db)])
    if try db.changesCount > 0 && SessionRow.fetch(db).user != nil { report.lostSession = true }
  }

  private func hasRoles(_ db: Database) throws -> Bool {
    guard try db.tableExists("sink") else { return false }
    return try db.columns(in: "sink").contains { $0.name == "role" }
  }

  /// What sinks take; a database of an earlier version has those that take everything only.
  private func capabilities(_ db: Database) throws -> [String: SinkCapabilities] {
    guard try hasRoles(db) else { return [:] }
    return try Dictionary(
      SinkRow.all(db).map { ($0.name, kinds.capabilities(of: $0.target)) }, uniquingKeysWith: { first, _ in first })
  }

  /// Removes rows whose parent is lost.
  private func removeOrphans(_ db: Database) throws {
    let tables = try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
    for table in tables {
      for key in try Row.fetchAll(db, sql: "SELECT * FROM pragma_foreign_key_list(?)", arguments: [table]) {
        let (column, parent, target): (String, String, String) = try (
          key["from"], key["table"], key["to"]
        )
        try db.execute(sql: "DELETE FROM \(table) WHERE \(column) NOT IN (SELECT \(target) FROM \(parent))")
      }
    }
  }

  private func knownSinks(_ db: Database) throws -> Set<String> {
    guard try db.tableExists("sink") else { return Set(sinks) }
    return try Set(sinks).union(String.fetchAll(db, sql: "SELECT name FROM sink"))
  }

  /// Takes back what damage has written into columns that another table knows better.
  private func mend(_ db: Database, _ known: Set<String>) throws {
    for sink in try String.fetchAll(db, sql: "SELECT DISTINCT sink FROM delivery") where !known.contains(sink) {
      try db.execute(sql: "DELETE FROM delivery WHERE sink = ?", arguments: [sink])
    }
    try db.execute(sql: "UPDATE delivery SET revision = (SELECT revision FROM record WHERE id = delivery.record)")
    // Either name may be the damaged one; records are the session's user's or nobody's.
    let owners = try owners(db)
    let places = databaseQuestionMarks(count: owners.count)
    try db.execute(
      sql: """
        UPDATE OR IGNORE record
        SET owner = (SELECT min(owner) FROM seen WHERE seen.log_id = record.log_id AND seen.owner IN (\(places)))
        WHERE owner NOT IN (\(places))
          AND EXISTS (SELECT 1 FROM seen WHERE seen.log_id = record.log_id AND seen.owner IN (\(places)))
        """, arguments: StatementArguments(owners + owners + owners))
  }

  /// Whose records there may be: the default user's, and the session's user's, who is also the one with the most of them.
  private func owners(_ db: Database) throws -> [String] {
    let most = try String.fetchOne(db, sql: "SELECT owner FROM record GROUP BY owner ORDER BY count(*) DESC LIMIT 1")
    let session = try? SessionRow.fetch(db).owner
    return Set([SessionUser.defaultOwnerKey, session, most].compactMap { $0.map(ExactText.init) }).map(\.text)
  }

  /// A delivery that is lost may have been held or refused: only a person can say. A record lacks one when none of its own is
  /// left, or when an earlier record has one to that receiver, which has not accepted this one.
  private func holdUndecided(_ db: Database, _ known: Set<String>, _ report: inout StoreRepair) throws {
    let tracksAcceptance = try db.tableExists("acceptance")
    let capabilities = try capabilities(db)
    var undecided: [(id: Int64, logID: String, revision: Int, sink: String)] = []
    for sink in known.sorted() {
      let isAccepted = """
        EXISTS (SELECT 1 FROM acceptance
          WHERE acceptance.owner = record.owner AND acceptance.log_id = record.log_id AND acceptance.sink = :sink)
        """
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT id, log_id, revision, content FROM record
          WHERE NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.record = record.id AND sink = :sink)
            AND (NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.record = record.id AND sink <> :sink)
              OR id > (SELECT min(record) FROM delivery WHERE sink = :sink)
                AND NOT \(tracksAcceptance ? isAccepted : "0"))
          ORDER BY id
          """, arguments: ["sink": sink])
      undecided += try rows.filter { row in
        // What a sink has no form for was never queued for it.
        try capabilities[sink]?.takes(RecordCoding.decode(row["content"])) ?? true
      }.map { try ($0["id"], $0["log_id"], $0["revision"], sink) }
    }
    for (id, logID, revision, sink) in undecided {
      if !report.held.contains(logID) { report.held.append(logID) }
      try db.execute(
        sql: "INSERT INTO delivery (record, sink, state, reason, revision) VALUES (?, ?, 'held', ?, ?)",
        arguments: [id, sink, HoldReason.awaitingConfirmation.rawValue, revision])
    }
  }

  /// What is in the queue was seen, or the meter's memory would bring it a second time.
  private func rememberRecords(_ db: Database) throws {
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT owner, log_id, revision, suspect, content, committed_us FROM record
        WHERE NOT EXISTS (SELECT 1 FROM seen WHERE seen.owner = record.owner AND seen.log_id = record.log_id
          AND seen.suspect = record.suspect AND seen.revision = record.revision)
        """)
    var forgotten: [(Row, Record)] = []
    while let row = try rows.next() { forgotten.append((row.copy(), try RecordCoding.decode(row["content"]))) }
    for (row, record) in forgotten {
      try db.execute(
        sql: """
          INSERT INTO seen (owner, log_id, revision, content_hash, primary_hash, suspect, seen_us)
          VALUES (?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          row["owner"] as String, row["log_id"] as String, row["revision"] as Int, Data(record.contentHash),
          Data(record.primaryHash), row["suspect"] as Int, row["committed_us"] as Int64,
        ])
    }
  }
}
