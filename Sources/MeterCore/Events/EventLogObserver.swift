internal import GRDB

/// Sees whether a transaction has put an event into the log: no writer of events has to think of it.
///
/// Its members are used on the database's own queue only, like every call to an observer.
final class EventLogObserver: TransactionObserver, @unchecked Sendable {
  private var isGrowing = false
  private var hasGrown = false

  /// Whether the log has grown since this was asked last.
  func take() -> Bool {
    defer { hasGrown = false }
    return hasGrown
  }

  func observes(eventsOfKind kind: DatabaseEventKind) -> Bool {
    if case .insert(tableName: "event") = kind { true } else { false }
  }

  func databaseDidChange(with event: DatabaseEvent) {
    isGrowing = true
    stopObservingDatabaseChangesUntilNextTransaction()
  }

  func databaseDidCommit(_ db: Database) {
    hasGrown = hasGrown || isGrowing
    isGrowing = false
  }

  func databaseDidRollback(_ db: Database) { isGrowing = false }
}
