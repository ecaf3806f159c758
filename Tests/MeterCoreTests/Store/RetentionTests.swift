import Foundation
import GRDB
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

@Suite("What is remembered of readings that are done with")
struct RetentionTests {
  private static let year: Int64 = 366 * 86_400 * 1_000_000
  let folder: TemporaryFolder
  let store: MeterStore
  let generation: SessionGeneration

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
  }

  /// Commits readings, delivers them, and dates their names back by so many years.
  private func deliver(_ sequences: ClosedRange<UInt64>, yearsAgo: Int64) throws {
    _ = try store.commit([Fixture.unit(generation, sequences.map { Fixture.glucose($0) })])
    for ticket in try store.claim(sink: MeterStore.defaultSink, limit: 1_000) {
      #expect(try store.resolve(ticket, .delivered(receiverID: nil)))
    }
    let names = sequences.map { Fixture.glucose($0).logID.description }
    try store.database.write { db in
      for name in names {
        try db.execute(
          sql: "UPDATE seen SET seen_us = seen_us - ? WHERE log_id = ?", arguments: [yearsAgo * Self.year, name])
      }
    }
  }

  private func names() throws -> Int {
    try store.reading { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM seen") ?? -1 }
  }

  @Test("names go after their time, not before, and never while the reading waits")
  func age() throws {
    try deliver(1...3, yearsAgo: 4)
    try deliver(4...5, yearsAgo: 2)
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(6)])])
    try store.database.write { db in
      try db.execute(
        sql: "UPDATE seen SET seen_us = seen_us - ? WHERE log_id = ?",
        arguments: [9 * Self.year, Fixture.glucose(6).logID.description])
    }
    let now = MeterStore.nowMicroseconds
    #expect(try store.forgetOldNames(nowMicroseconds: now) == 3)
    #expect(try names() == 3)
    #expect(try store.commit([Fixture.unit(generation, [Fixture.glucose(6)])])[0].duplicates.count == 1)
    #expect(try store.forgetOldNames(nowMicroseconds: now + 86_400_000_000) == nil, "once a month")
    #expect(try store.forgetOldNames(nowMicroseconds: now + 31 * 86_400_000_000) == 0)
    #expect(try store.forgetOldNames(nowMicroseconds: now - Self.year) == 0, "a clock that went back does not stop it")
  }

  @Test("beyond the bound the oldest names go first")
  func bound() throws {
    try deliver(1...4, yearsAgo: 1)
    try deliver(5...8, yearsAgo: 0)
    let retention = SeenRetention(names: 5)
    #expect(try store.forgetOldNames(nowMicroseconds: MeterStore.nowMicroseconds, retention) == 3)
    let again = try store.commit([Fixture.unit(generation, (1...8).map { Fixture.glucose($0) })])[0]
    #expect(again.duplicates.count == 5 && again.new.count == 3)
    #expect(Set(again.new.compactMap(\.record.deviceSequence)).isSubset(of: 1...4))
  }
}
