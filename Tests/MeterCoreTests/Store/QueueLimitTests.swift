import Foundation
import GRDB
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

@Suite("A queue that is full, and many who fill it")
struct QueueLimitTests {
  func store(_ folder: TemporaryFolder, _ limits: QueueLimits) throws -> (MeterStore, SessionGeneration) {
    let store = try MeterStore(folder: folder.state, limits: limits)
    return (store, try store.startSession(Fixture.user, token: Fixture.token).session.generation)
  }

  @Test("refuses new readings, keeps what it has acknowledged, and takes later revisions of it")
  func records() throws {
    let folder = try TemporaryFolder()
    let (store, generation) = try store(folder, QueueLimits(records: 2))
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1), Fixture.glucose(2)])])
    let error = #expect(throws: StoreError.self) {
      try store.commit([
        Fixture.unit(generation, [Fixture.glucose(3)], writes: [StorageWrite(key: "user/cursor", value: [3])])
      ])
    }
    #expect(error?.code == .queueFull)
    #expect(error?.message.contains("2 records") == true)
    #expect(try store.queueSnapshot().map { $0.record?.deviceSequence } == [1, 2])
    #expect(try store.storage(generation: generation, family: "glucose", meter: Fixture.meter).isEmpty)
    let revised = Fixture.glucose(1, context: [Fixture.beforeMeal])
    #expect(try store.commit([Fixture.unit(generation, [revised])])[0].revised.count == 1)
    let ticket = try #require(try store.claim(sink: MeterStore.defaultSink, limit: 1).first)
    #expect(try store.resolve(ticket, .delivered(receiverID: nil)))
    #expect(try store.commit([Fixture.unit(generation, [Fixture.glucose(3)])])[0].new.count == 1)
  }

  @Test("are set by a user, hold at once, and stay with the folder")
  func kept() throws {
    let folder = try TemporaryFolder()
    do {
      let store = try MeterStore(folder: folder.state)
      #expect(store.limits == QueueLimits())
      let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
      _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1), Fixture.glucose(2)])])
      try store.setLimits(QueueLimits(records: 2, bytes: 1 << 20, age: .seconds(86_400)))
      let error = #expect(throws: StoreError.self) {
        try store.commit([Fixture.unit(generation, [Fixture.glucose(3)])])
      }
      #expect(error?.code == .queueFull && error?.message.contains("queue limits") == true)
    }
    let store = try MeterStore(folder: folder.state)
    #expect(store.limits == QueueLimits(records: 2, bytes: 1 << 20, age: .seconds(86_400)))
    let generation = try store.currentSession().generation
    #expect(throws: StoreError.self) { try store.commit([Fixture.unit(generation, [Fixture.glucose(3)])]) }
    try store.setLimits(QueueLimits(records: 3))
    #expect(try store.commit([Fixture.unit(generation, [Fixture.glucose(3)])])[0].new.count == 1)
    #expect(store.limits.age == nil)
  }

  @Test("counts bytes and waiting time as well")
  func bytesAndAge() throws {
    let folder = try TemporaryFolder()
    let (small, generation) = try store(folder, QueueLimits(bytes: 100))
    #expect(throws: StoreError.self) { try small.commit([Fixture.unit(generation, [Fixture.glucose(1)])]) }
    #expect(try small.usage().records == 0)
    let other = try TemporaryFolder()
    let (old, second) = try store(other, QueueLimits(age: .seconds(60)))
    _ = try old.commit([Fixture.unit(second, [Fixture.glucose(1)])])
    _ = try old.commit([Fixture.unit(second, [Fixture.glucose(2)])])
    try old.database.write { db in try db.execute(sql: "UPDATE record SET committed_us = committed_us - 61000000") }
    let error = #expect(throws: StoreError.self) {
      try old.commit([Fixture.unit(second, [Fixture.glucose(3)])])
    }
    #expect(error?.code == .queueFull && error?.message.contains("60 seconds") == true)
  }

  @Test("many submitters share transactions; what one is refused harms no other")
  func group() async throws {
    let folder = try TemporaryFolder()
    let (store, generation) = try store(folder, QueueLimits())
    let stale = SessionGeneration(rawValue: generation.rawValue - 1)
    let before = try walCommits(store)
    let outcomes = await withTaskGroup(of: (UInt64, Result<[CommitReceipt], StoreError>).self) { group in
      for number in UInt64(1)...400 {
        let isBad = number.isMultiple(of: 10)
        group.addTask {
          let unit = Fixture.unit(isBad ? stale : generation, [Fixture.glucose(number)])
          do throws(StoreError) { return (number, .success(try await store.submit([unit]))) } catch {
            return (number, .failure(error))
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    for (number, outcome) in outcomes {
      switch outcome {
      case .success(let receipts): #expect(!number.isMultiple(of: 10) && receipts[0].new.count == 1)
      case .failure(let error): #expect(number.isMultiple(of: 10) && error.code == .staleGeneration)
      }
    }
    let stored = try store.queueSnapshot().compactMap { $0.record?.deviceSequence }
    #expect(stored.sorted() == (1...400).filter { !$0.isMultiple(of: 10) }.map { UInt64($0) })
    #expect(try walCommits(store) - before < 360, "fewer transactions than submissions")
  }

  @Test("the folder is free for the next owner once the last submitter has its answer")
  func freeAfterTheLastAnswer() async throws {
    let folder = try TemporaryFolder()
    for round in UInt64(0)..<20 {
      // What writes for many must not hold the store longer than those who wait for it.
      let (store, generation) = try store(folder, QueueLimits())
      try await withThrowingTaskGroup { group in
        for number in UInt64(1)...16 {
          let unit = Fixture.unit(generation, [Fixture.glucose(16 * round + number)])
          group.addTask { _ = try await store.submit([unit]) }
        }
        try await group.waitForAll()
      }
    }
    #expect(try store(folder, QueueLimits()).0.usage().records == 20 * 16)
  }

  /// Transactions that the database's log has seen: each ends with a frame that holds the size of the database.
  private func walCommits(_ store: MeterStore) throws -> Int {
    let log = try Data(contentsOf: store.folder.appending(path: "state.sqlite-wal"))
    let frame = 24 + 4_096
    return stride(from: 32, to: log.count, by: frame).count { start in
      log[(start + 4)..<min(start + 8, log.count)].contains { $0 != 0 }
    }
  }
}
