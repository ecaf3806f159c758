internal import GRDB

/// The table of what is known of each user's weight.
struct WeightTable {
  let db: Database
  let owner: String

  /// Decides about a record that a scale has brought, and remembers what it weighed.
  ///
  /// - Parameter weighsAnybody: Whether somebody has said that the scale weighs infants, pets or things as well: nothing is
  ///   held then, and nothing learned.
  func judge(_ record: Record, _ disposition: Disposition, weighsAnybody: Bool) throws -> Disposition {
    guard disposition == .pending, !weighsAnybody, let weighing = record.weighing else { return disposition }
    var history = try history()
    let isPersons: Bool
    if record.origin == .device {
      isPersons = history.take(weighing)
    } else {
      history.confirm(weighing)
      isPersons = true
    }
    try store(history)
    return isPersons ? disposition : .held(.unlikeWeight)
  }

  /// Takes a person's word for what was weighed.
  func confirm(_ record: Record) throws {
    guard let weighing = record.weighing else { return }
    var history = try history()
    history.confirm(weighing)
    try store(history)
  }

  private func history() throws -> WeightHistory {
    var history = WeightHistory()
    var candidates: [WeightHistory.Weighing] = []
    let rows = try Row.fetchAll(
      db.cachedStatement(sql: "SELECT grams, time_us, trusted FROM weight WHERE owner = ? ORDER BY place"),
      arguments: [owner])
    for row in rows {
      let weighing = WeightHistory.Weighing(grams: row["grams"], microseconds: row["time_us"])
      if row["trusted"] { history.confirm(weighing) } else { candidates.append(weighing) }
    }
    return WeightHistory(reference: history.reference, candidates: candidates)
  }

  private func store(_ history: WeightHistory) throws {
    try db.execute(sql: "DELETE FROM weight WHERE owner = ?", arguments: [owner])
    let trusted = history.reference.map { [($0, true)] } ?? []
    for (place, (weighing, isTrusted)) in (trusted + history.candidates.map { ($0, false) }).enumerated() {
      try db.execute(
        sql: "INSERT INTO weight (owner, place, grams, time_us, trusted) VALUES (?, ?, ?, ?, ?)",
        arguments: [owner, place, weighing.grams, weighing.microseconds, isTrusted])
    }
  }
}
