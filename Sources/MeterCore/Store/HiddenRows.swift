internal import GRDB

/// Rows that damage has put where nobody looks for them: an empty answer is believed only where there are none.
enum HiddenRows {
  /// Looks for what nobody finds, where nothing was found and was counted all the same.
  ///
  /// - Throws: `StoreError` with code `corrupt` when something of the queue can be found by nobody.
  static func check(_ db: Database, expecting states: Set<DeliveryState>, sink: String? = nil) throws {
    let words = states.map { "'\($0.rawValue)'" }.joined(separator: ",")
    let isCounted = try Bool.fetchOne(
      db,
      sql: "SELECT EXISTS (SELECT 1 FROM tally WHERE state IN (\(words)) AND entries > 0 AND sink = coalesce(?, sink))",
      arguments: [sink])
    guard isCounted == true, let problem = try problem(db) else { return }
    throw damage(problem)
  }

  /// The same for images.
  static func checkImages(_ db: Database) throws {
    guard try !hasStrangers(db), try holdsStrangers(db, "media") else { return }
    throw damage(belongsToNobody("media"))
  }

  private static func belongsToNobody(_ table: String) -> String { "a row of \(table) belongs to nobody who is known" }

  /// What is hidden; nil when nothing is.
  static func problem(_ db: Database) throws -> String? {
    for table in ["record", "media"] where try !hasStrangers(db) {
      if try holdsStrangers(db, table) { return belongsToNobody(table) }
    }
    let counts = try Row.fetchOne(
      db,
      sql: """
        SELECT (SELECT count(*) FROM delivery) AS deliveries, (SELECT coalesce(sum(entries), 0) FROM tally) AS counted,
          (SELECT count(*) FROM delivery JOIN record ON record.id = delivery.record) AS joined
        """)
    let number: Int64? = try counts?["deliveries"]
    if let counts, try number != counts["counted"] || number != counts["joined"] {
      return "the deliveries are not as many as were counted"
    }
    let records: Int? = try Int.fetchOne(db, sql: "SELECT count(*) FROM record")
    if try records != QueueUsage.fetch(db).records { return "the records are not as many as were counted" }
    return nil
  }

  /// Whether rows of a table are neither the session's user's nor the default user's.
  private static func holdsStrangers(_ db: Database, _ table: String) throws -> Bool {
    // A repair works on tables of earlier versions, too.
    guard try db.tableExists(table) else { return false }
    return try Bool.fetchOne(
      db, sql: "SELECT EXISTS (SELECT 1 FROM \(table) WHERE owner NOT IN (?, ?))",
      arguments: [SessionUser.defaultOwnerKey, try SessionRow.fetch(db).owner]) ?? false
  }

  private static let strangers = "strangers"

  /// Whether a repair has left rows of somebody whose session was lost, or whose name was: they wait for that session.
  private static func hasStrangers(_ db: Database) throws -> Bool {
    try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM setting WHERE name = ?)", arguments: [strangers]) ?? false
  }

  /// Notes at the end of a repair that there are such rows: no later look takes them for damage.
  static func allowStrangers(_ db: Database) throws {
    guard try db.tableExists("setting"), try holdsStrangers(db, "record") || holdsStrangers(db, "media") else { return }
    try db.execute(sql: "INSERT OR IGNORE INTO setting VALUES (?, '1')", arguments: [strangers])
  }

  /// A token without a session is one whose session cannot be read any more.
  static func checkSession(_ db: Database) throws {
    guard try SessionRow.fetch(db).user == nil, try TokenRow.exists(db) else { return }
    throw damage("there is a session's token, and no session")
  }

  private static func damage(_ cause: String) -> StoreError {
    StoreError(
      .corrupt,
      "the state database is damaged; run `meterhost doctor --repair`, which keeps everything that can be read.",
      cause: cause)
  }
}
