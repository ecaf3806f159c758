internal import GRDB

extension MeterStore {
  /// The session in force; without a user it is the default user's.
  public func currentSession() throws(StoreError) -> Session {
    try reading { db in try SessionRow.fetch(db).session(db) }
  }
}
