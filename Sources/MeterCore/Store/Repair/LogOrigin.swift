internal import Foundation

/// Whether the write-ahead log beside a database file continues that file.
///
/// SQLite does not ask: it takes every whole frame for a newer content of the page with that number. The pages of another database, or
/// of another state of this one, come over those that are there, at the next checkpoint in the file as well.
enum LogOrigin: Equatable {
  /// It continues the file, or holds nothing, or neither says.
  case own
  /// It is another database's.
  case foreign
  /// The file has gone on since: all that the log holds is older.
  case earlier
  /// It begins behind commits that the file does not have: an older copy of the file was put back.
  case later

  /// Compares the count of commits of the file alone with those of the log.
  ///
  /// A log begins with the commit behind the last that the file has, or before it where it was not moved into the file as a whole, and
  /// ends with the file's last one or behind it: it is on disk before any of it is moved into the file.
  ///
  /// - Parameter testimony: What the file beside the database says, for a database file that does not say which one it is.
  init(_ image: DatabaseImage, path: String, _ testimony: CommitWitness.Testimony) throws(StoreError) {
    self = .own
    guard let journal = image.journal, !journal.committed.isEmpty else { return }
    let file = try DatabaseImage(path: path, readsLog: false)
    let own = Salvage.commitCount(in: file)
    var known = own
    if known == nil, case .count(let told) = testimony { known = told }
    let counts = Self.counts(in: image, of: known)
    guard let first = counts.first, let last = counts.last else {
      // Nothing in it counts, as in a migration: then it leaves the count as it is.
      if let own, !journal.hasGap, Salvage.commitCount(in: image) != own { self = .foreign }
      return
    }
    guard let own else {
      // A file that was never counted in, or is damaged there.
      if case .count(let told) = testimony, !told.isOfSameDatabase(as: last.count) { self = .foreign }
      return
    }
    guard own.isOfSameDatabase(as: last.count), own.isOfSameDatabase(as: first.count) else {
      self = .foreign
      return
    }
    // The commits that came before a damaged place may be the ones that the file has.
    let hasItsBegin = !journal.isBehindDamage(first.place)
    if file.isWithoutLog, hasItsBegin {
      self = last.count.number > own.number ? .later : .earlier
    } else if last.count.number < own.number {
      self = journal.hasGap ? .own : .earlier
    } else if hasItsBegin, first.count.number > own.number + 1 {
      self = .later
    }
  }

  /// What the log counts, commit by commit. Which page the table has is known by its one row: the tables may be another database's.
  ///
  /// Other tables may have a row of the same form, such as a record's moment and the boot in which it came. So where any page counts
  /// for the database that is known it is that one, and else the one that is written most often, as each commit writes it.
  private static func counts(in image: DatabaseImage, of known: CommitCount?) -> [(count: CommitCount, place: Int)] {
    var pages: [Int: [(count: CommitCount, place: Int)]] = [:]
    image.forEachFrame { frame, page, place in
      // A leaf of a table with one row.
      guard frame.first == TreePage.Kind.tableLeaf.rawValue, frame.number(at: 3, count: 2) == 1,
        let row = TreePage(content: Array(frame), in: image)?.rows.first, row.rowid == 1,
        let count = CommitCount(row), UUID(uuidString: count.folder) != nil
      else { return }
      pages[page, default: []].append((count, place))
    }
    if let known, let own = pages.values.first(where: { $0.contains { known.isOfSameDatabase(as: $0.count) } }) {
      return own
    }
    return pages.max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }?.value ?? []
  }
}

extension LogOrigin {
  /// Why the database is not opened with such a log; nil where it is its own.
  func refusal(_ path: String) -> StoreError? {
    let what: String
    switch self {
    case .own: return nil
    case .foreign: what = "is another database's: its pages would come over the readings in \(path)"
    case .earlier: what = "is from before the state in which \(path) is: older pages would come over newer ones"
    case .later:
      what =
        "goes on from a later state than \(path) has, as when an older copy was put back: commits between the two are in neither"
    }
    return StoreError(
      .foreignLog,
      "the journal \(path)-wal \(what). Nothing was opened or changed. Put back the two files that belong together; "
        + "`meterhost doctor --repair` goes on with the database and without this journal, which is kept.")
  }
}

extension CommitCount {
  /// Whether both are of one database. Names are random: two that differ in one letter are one name, of which one was damaged.
  fileprivate func isOfSameDatabase(as other: CommitCount) -> Bool {
    let (mine, others) = (folder.utf8, other.folder.utf8)
    return mine.count == others.count && zip(mine, others).count(where: { $0 != $1 }) <= 1
  }
}
