package import Foundation
internal import GRDB

/// What a repair of a damaged state database has kept and lost.
package struct StoreRepair: Sendable, Hashable, Codable {
  /// The rows that are in the new database, by table.
  package internal(set) var kept: [String: Int] = [:]
  /// The readings that were there and cannot be read: their names, or `record N` where even those are lost.
  package internal(set) var lost: [String] = []
  /// The readings of which nothing says any more whether they may be delivered: they wait for a person.
  package internal(set) var held: [String] = []
  /// Rows of any table that cannot be read.
  package internal(set) var unreadableRows = 0
  /// The numbers of the pages that cannot be read.
  package internal(set) var unreadablePages: [Int] = []
  /// Whether the session is lost: it has to be started again.
  package internal(set) var lostSession = false
  /// Why the journal was left out, of which a copy is kept; nil where there was none, or it was the database's own.
  package internal(set) var foreignLog: ForeignLog?
  /// The folder with the damaged files.
  package internal(set) var damaged = ""
}

extension MeterStore {
  /// What is damaged: SQLite's own check of every page, and every record that does not say what its hash says. Empty when
  /// all is well.
  package func damage() throws(StoreError) -> [String] {
    do {
      return try database.read { db in
        var problems = try String.fetchAll(db, sql: "PRAGMA integrity_check(20)").filter { $0 != "ok" }
        if let hidden = try HiddenRows.problem(db) { problems.append(hidden) }
        for record in try RecordWitness.unreadable(db) where problems.count < 20 {
          problems.append("the record \(record.name) cannot be read")
        }
        return problems
      }
    } catch {
      let failure = StoreError.mapping(error)
      guard failure.code == .corrupt else { throw failure }
      return [failure.cause ?? failure.message]
    }
  }

  /// Puts a new database with everything that can be read in the place of a damaged one, which is kept beside it.
  ///
  /// Where the drivers' reads of meters stopped is forgotten: a damaged place could leave readings out. Meters are read
  /// again from the beginning, and what was seen before causes nothing. After a crash at any moment either the damaged
  /// database or the new one is there.
  ///
  /// - Parameter sinks: The receivers beside those that the folder itself knows: a delivery to another one is damaged.
  /// - Parameter sinkKinds: The kinds of sinks that this program knows: what they have no form for lacks no delivery.
  /// - Throws: ``StoreError``: ``StoreError/Code/busy`` when another process owns the folder,
  ///   ``StoreError/Code/missingDatabase``, ``StoreError/Code/newerVersion``, and what writing a database throws; the
  ///   damaged one is then as it was.
  package static func repair(
    folder: URL, sinks: [String] = [MeterStore.defaultSink], sinkKinds: SinkKinds = .none
  ) throws(StoreError) -> StoreRepair {
    let stateFolder = try StateFolder(path: folder.path)
    try stateFolder.refuseWhatIsNoFile(fileName)
    try stateFolder.finishReplacing(fileName)
    try stateFolder.refuseMissing(fileName)
    do {
      return try StoreRebuild(folder: stateFolder, sinks: sinks, kinds: sinkKinds).run()
    } catch {
      throw StoreError.mapping(error)
    }
  }
}
