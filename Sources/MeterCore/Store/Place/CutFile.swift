internal import GRDB

/// A file that was longer when the last transaction ended.
struct CutFile {
  let path: String
  let length: Int64
  let known: Int64

  /// Whether SQLite misses nothing of it: another program, as one that makes backups, may have had SQLite move the log into the
  /// database. To be asked outside a transaction.
  func isWhole(_ db: Database) -> Bool {
    if path.hasSuffix("/\(MeterStore.fileName)-wal") {
      // Of a log that somebody else has emptied nothing can be moved: that fails, or finds frames.
      return length == 0 && (try? db.checkpoint(.passive).walFrameCount) == 0
    }
    guard path.hasSuffix("/\(MeterStore.fileName)"), let pages = try? Int64.fetchOne(db, sql: "PRAGMA page_count"),
      let size = try? Int64.fetchOne(db, sql: "PRAGMA page_size")
    else { return false }
    return length >= pages * size
  }

  var error: StoreError {
    StoreError(
      .moved,
      "\(path) was cut while MeterHost runs: \(length) bytes are left of \(known). Nothing is taken from meters any more, and the "
        + "last of what was taken may be gone. Stop MeterHost and start it again: it says what is missing.")
  }
}
