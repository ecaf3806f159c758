import Foundation
import GRDB
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// A crash leaves the files as they were at some moment: copies of them, taken while the store works, are opened again.
@Suite("After a crash")
struct CrashTests {
  let folder: TemporaryFolder
  let store: MeterStore
  let generation: SessionGeneration

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
  }

  /// The database files as they are now, opened as a store of their own.
  func snapshot(truncatingLogBy bytes: Int = 0) throws -> (MeterStore, TemporaryFolder) {
    let copy = try TemporaryFolder()
    try FileManager.default.createDirectory(at: copy.state, withIntermediateDirectories: false)
    for name in ["state.sqlite", "state.sqlite-wal"] {
      var data = try Data(contentsOf: folder.state.appendingPathComponent(name))
      if name.hasSuffix("-wal") { data.removeLast(min(bytes, data.count)) }
      try data.write(to: copy.state.appendingPathComponent(name))
    }
    return (try MeterStore(folder: copy.state), copy)
  }

  func sequences(_ store: MeterStore) throws -> [UInt64?] {
    try store.queueSnapshot().map { $0.record?.deviceSequence }
  }

  func cursor(_ store: MeterStore) throws -> [UInt8]? {
    let generation = try store.currentSession().generation
    return try store.storage(generation: generation, family: "glucose", meter: Fixture.meter)["user/cursor"]
  }

  @Test("in the middle of a commit, records and cursor of it are both gone, earlier ones both there")
  func midTransaction() throws {
    _ = try store.commit([
      Fixture.unit(generation, [Fixture.glucose(1)], writes: [StorageWrite(key: "user/cursor", value: [1])])
    ])
    func logSize() throws -> Int {
      try Data(contentsOf: folder.state.appendingPathComponent("state.sqlite-wal")).count
    }
    let before = try logSize()
    // A commit that has spilled into the log without ending: what the files hold when the power goes.
    try store.database.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA cache_size = 1")
      try db.inTransaction(.immediate) {
        let session = try SessionRow.fetch(db)
        let records = try (2..<200).map {
          try PreparedRecord(row: RecordRow(Fixture.glucose($0)), disposition: .pending)
        }
        _ = try RecordCommitter(db: db, session: session, sinks: SinkList(db, .none)).commit(records)
        try StorageTable(
          db: db, vault: store.vault, session: session, family: "glucose", meter: Fixture.meter
        )
        .apply([StorageWrite(key: "user/cursor", value: [200])])
        #expect(try logSize() > before, "the unfinished commit is in the log")
        let (crashed, _) = try snapshot()
        #expect(try sequences(crashed) == [1])
        #expect(try cursor(crashed) == [1])
        return .rollback
      }
    }
  }

  @Test("the log is torn anywhere: records and cursor agree")
  func tornLog() throws {
    for number in UInt8(1)...8 {
      _ = try store.commit([
        Fixture.unit(
          generation, [Fixture.glucose(UInt64(number))], writes: [StorageWrite(key: "user/cursor", value: [number])])
      ])
    }
    let size = try Data(contentsOf: folder.state.appendingPathComponent("state.sqlite-wal")).count
    var generator = SeededGenerator(seed: 3)
    var prefixes: Set<Int> = []
    for _ in 0..<25 {
      let (crashed, _) = try snapshot(truncatingLogBy: .random(in: 0...size / 2, using: &generator))
      let found = try sequences(crashed)
      #expect(found == (1...8).prefix(found.count).map { UInt64($0) }, "a prefix, without holes")
      #expect(try cursor(crashed) == (found.isEmpty ? nil : [UInt8(found.count)]))
      prefixes.insert(found.count)
    }
    #expect(prefixes.count > 1, "the tears hit several commits")
  }

  @Test("while a session ends, start-up finishes the end with its recovery file")
  func endingSession() throws {
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1)])])
    try store.database.write { db in
      try db.execute(sql: "UPDATE session SET generation = generation + 1, ending = 'session-x.json'")
    }
    let (crashed, copy) = try snapshot()
    #expect(try crashed.currentSession().user == nil)
    #expect(try crashed.queueSnapshot().isEmpty)
    let file = copy.state.appendingPathComponent("recovery/session-x.json")
    let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    #expect(text.contains(Fixture.glucose(1).logID.description))
  }
}
