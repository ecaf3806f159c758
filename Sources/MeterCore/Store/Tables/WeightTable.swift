internal import GRDB

/// The table of what is known of each user's weight.
struct WeightTable {
  let db: Database
  let owner: String

  /// Decides about a record that a scale has brought, and remembers what it weighed.
  ///
  /// - Parameter scale: Whom the scale weighs. Of one that weighs anybody nothing is held, and nothing learned.
  func judge(_ record: Record, _ disposition: Disposition, on scale: ScaleUse) throws -> Disposition {
    guard disposition == .pending, scale != .anybody, let weighing = record.weighing else { return disposition }
    var history = try history()
    var problem: HoldReason?
    if record.origin != .device {
      history.confirm(weighing)
    } else if scale == .severalPeople {
      problem = history.takeShared(weighing)
    } else if !history.take(weighing) {
      problem = .unlikeWeight
    }
    try store(history)
    return problem.map { .held($0) } ?? disposition
  }

  /// Releases a reading from a hold that was for no fault of it; what it weighs is looked at only now.
  ///
  /// - Returns: What has become of it; nil when it was not held for this reason.
  func release(_ record: Record, heldFor reason: HoldReason, on scale: ScaleUse) throws -> Disposition? {
    let held = """
      state = 'held' AND reason = ?
        AND record = (SELECT id FROM record WHERE owner = ? AND log_id = ? AND suspect = 0)
      """
    let arguments: StatementArguments = [reason.rawValue, owner, record.logID.description]
    let isHeld = try Bool.fetchOne(
      db, sql: "SELECT EXISTS (SELECT 1 FROM delivery WHERE \(held))", arguments: arguments)
    guard isHeld == true else { return nil }
    let disposition = try judge(record, .pending, on: scale)
    var problem: HoldReason?
    if case .held(let other) = disposition { problem = other }
    try db.execute(
      sql: "UPDATE delivery SET state = ?, reason = ? WHERE \(held)",
      arguments: [problem == nil ? "pending" : "held", problem?.rawValue] + arguments)
    return disposition
  }

  /// Takes a person's word for what was weighed.
  func confirm(_ record: Record) throws {
    guard let weighing = record.weighing else { return }
    var history = try history()
    history.confirm(weighing)
    try store(history)
  }

  /// Takes a person's word that a reading is to be thrown away.
  func forget(_ record: Record) throws {
    guard let weighing = record.weighing else { return }
    var history = try history()
    history.forget(weighing)
    try store(history)
  }

  /// What stands in `trusted`.
  private enum Trust {
    static let none = 0
    /// Weighings have agreed, or a person has said so.
    static let agreed = 1
    /// A person's word.
    static let word = 2
  }

  private func history() throws -> WeightHistory {
    var reference: WeightHistory.Weighing?
    var word: WeightHistory.Weighing?
    var candidates: [WeightHistory.Weighing] = []
    let rows = try Row.fetchAll(
      db.cachedStatement(sql: "SELECT grams, time_us, trusted FROM weight WHERE owner = ? ORDER BY place"),
      arguments: [owner])
    for row in rows {
      let weighing = try WeightHistory.Weighing(grams: row["grams"], microseconds: row["time_us"])
      switch try row["trusted"] as Int {
      case Trust.none: candidates.append(weighing)
      case Trust.word: word = weighing
      default: reference = weighing
      }
    }
    return WeightHistory(reference: reference, word: word, candidates: candidates)
  }

  private func store(_ history: WeightHistory) throws {
    try db.execute(sql: "DELETE FROM weight WHERE owner = ?", arguments: [owner])
    let known = [history.reference.map { ($0, Trust.agreed) }, history.word.map { ($0, Trust.word) }].compactMap(\.self)
    for (place, (weighing, trust)) in (known + history.candidates.map { ($0, Trust.none) }).enumerated() {
      try db.execute(
        sql: "INSERT INTO weight (owner, place, grams, time_us, trusted) VALUES (?, ?, ?, ?, ?)",
        arguments: [owner, place, weighing.grams, weighing.microseconds, trust])
    }
  }
}
