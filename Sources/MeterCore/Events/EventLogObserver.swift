internal import GRDB
import HostPrimitives

/// Tells of each transaction that has put an event into the log: no writer of events has to think of it.
final class EventLogObserver: TransactionObserver {
  private let growth: Broadcast<Void>
  /// Read and written on the database's own queue only, like every call to an observer.
  private var hasGrown = false

  init(_ growth: Broadcast<Void>) { self.growth = growth }

  func observes(eventsOfKind kind: DatabaseEventKind) -> Bool {
    if case .insert(tableName: "event") = kind { true } else { false }
  }

  func databaseDidChange(with event: DatabaseEvent) {
    hasGrown = true
    stopObservingDatabaseChangesUntilNextTransaction()
  }

  func databaseDidCommit(_ db: Database) {
    guard hasGrown else { return }
    hasGrown = false
    growth.send(())
  }

  func databaseDidRollback(_ db: Database) { hasGrown = false }
}
