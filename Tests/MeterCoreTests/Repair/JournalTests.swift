import Foundation
import GRDB
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// The journal holds what was acknowledged and is not in the database file yet.
@Suite("Damage of the journal", .timeLimit(.minutes(60)))
struct JournalTests {
  private static let isNightly = ProcessInfo.processInfo.environment["METERHOST_NIGHTLY"] == "1"

  /// A folder as a power cut leaves it: twelve commits in the journal.
  private func cut() throws -> (folder: TemporaryFolder, journal: Data) {
    let (folder, copy) = (try TemporaryFolder(inMemory: true), try TemporaryFolder(inMemory: true))
    let store = try MeterStore(folder: folder.whenFree())
    let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
    try store.database.writeWithoutTransaction { db in
      _ = try db.checkpoint(.truncate)
      try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
    }
    for number in UInt64(1)...12 { _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(number)])]) }
    try FileManager.default.createDirectory(at: copy.state, withIntermediateDirectories: false)
    for name in ["state.sqlite", "state.sqlite-wal"] {
      try FileManager.default.copyItem(
        at: folder.state.appendingPathComponent(name), to: copy.state.appendingPathComponent(name))
    }
    return (copy, try Data(contentsOf: copy.state.appendingPathComponent("state.sqlite-wal")))
  }

  private func sequences(_ store: MeterStore) throws(StoreError) -> [UInt64] {
    try store.queueSnapshot().compactMap { $0.record?.deviceSequence }
  }

  @Test("reads what SQLite reads")
  func sameAsSQLite() throws {
    let (folder, bytes) = try cut()
    let journal = try #require(Journal(bytes))
    #expect(!journal.hasGap)
    let image = try DatabaseImage(path: folder.state.appendingPathComponent(MeterStore.fileName).path)
    let store = try MeterStore(folder: folder.whenFree())
    let (size, records) = try store.database.read { db in
      (try Int.fetchOne(db, sql: "PRAGMA page_count"), try Int.fetchOne(db, sql: "SELECT count(*) FROM record"))
    }
    #expect(journal.pageCount == size)
    let shape = try #require(try store.database.read { try TableShape.all($0).first { $0.name == "record" } })
    let rows = (2...image.pageCount).flatMap { TreePage($0, in: image)?.rows ?? [] }.filter(shape.fits)
    #expect(rows.count == records)
  }

  @Test("cut off anywhere: opening and repairing give the same readings, a prefix without holes")
  func tornAnywhere() async throws {
    let (folder, bytes) = try cut()
    let file = folder.state.appendingPathComponent("state.sqlite-wal")
    let database = try Data(contentsOf: folder.state.appendingPathComponent(MeterStore.fileName))
    var lengths: Set<Int> = []
    for length in stride(from: bytes.count, to: 0, by: Self.isNightly ? -997 : -1997) {
      for repairs in [false, true] {
        let copy = try TemporaryFolder(inMemory: true)
        try FileManager.default.createDirectory(at: copy.state, withIntermediateDirectories: false)
        try database.write(to: copy.state.appendingPathComponent(MeterStore.fileName))
        try bytes.prefix(length).write(to: copy.state.appendingPathComponent("state.sqlite-wal"))
        if repairs { #expect(try MeterStore.repair(folder: copy.whenFree()).lost.isEmpty) }
        let found = try sequences(MeterStore(folder: copy.whenFree()))
        #expect(found == (1...12).prefix(found.count).map { UInt64($0) }, "\(length)")
        lengths.insert(found.count)
        // Other tests need the threads that tests share.
        await Task.yield()
      }
    }
    #expect(lengths == Set(0...12))
    withExtendedLifetime(file) {}
  }

  @Test("a damaged place before later commits is an error and not a silent loss, and repair keeps what is behind it")
  func damagedInside() async throws {
    let (folder, bytes) = try cut()
    let frame = 24 + 4096
    let count = (bytes.count - 32) / frame
    var (refused, kept): (Int, [Int]) = (0, [])
    for number in 0..<count {
      // The frame's head twice, its page twice: by day one of each, in turn.
      for offset in Self.isNightly ? [4, 17, 100, 4000] : number.isMultiple(of: 2) ? [4, 4000] : [17, 100] {
        await Task.yield()
        let copy = try TemporaryFolder(inMemory: true)
        try FileManager.default.createDirectory(at: copy.state, withIntermediateDirectories: false)
        try FileManager.default.copyItem(
          at: folder.state.appendingPathComponent(MeterStore.fileName),
          to: copy.state.appendingPathComponent(MeterStore.fileName))
        var damaged = bytes
        damaged[32 + number * frame + offset] ^= 0x40
        try damaged.write(to: copy.state.appendingPathComponent("state.sqlite-wal"))
        do throws(StoreError) {
          let found = try sequences(MeterStore(folder: copy.whenFree()))
          // A power cut may have left it so: nothing but the last commits may be missing.
          #expect(found.count >= 10, "frame \(number) of \(count), byte \(offset): \(found)")
        } catch {
          refused += 1
          #expect(error.code == .corrupt)
          let repair = try MeterStore.repair(folder: copy.whenFree())
          let found = try sequences(MeterStore(folder: copy.whenFree()))
          #expect(found.count + repair.lost.count >= 12, "frame \(number), byte \(offset): \(found) \(repair.lost)")
          kept.append(found.count)
        }
      }
    }
    #expect(refused > count * (Self.isNightly ? 2 : 1))
    #expect(kept.count { $0 == 12 } > kept.count / 2, "later frames of the same pages hold everything: \(kept)")
  }
}
