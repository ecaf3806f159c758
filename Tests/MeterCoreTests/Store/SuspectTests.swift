import Foundation
import GRDB
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// Readings that come under the log_id of another one with other values, as of a meter that counts from the beginning
/// again: a person can deliver each, and neither touches the other.
@Suite("Readings under the name of another one")
struct SuspectTests {
  let folder: TemporaryFolder
  let store: MeterStore
  let first = Fixture.glucose(1)
  let other = Fixture.glucose(1, mantissa: 300)
  let third = Fixture.glucose(1, mantissa: 400)

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    try start()
  }

  func start() throws { _ = try store.startSession(Fixture.user, token: Fixture.token) }

  @discardableResult
  func commit(_ record: MeterCore.Record, _ disposition: Disposition = .pending) throws -> CommitReceipt {
    let generation = try store.currentSession().generation
    return try store.commit([Fixture.unit(generation, [record], disposition: disposition)])[0]
  }

  func deliver() throws -> [DeliveryTicket] {
    let tickets = try store.claim(sink: MeterStore.defaultSink, limit: 9)
    _ = try store.resolve(tickets.map { ($0, .delivered(receiverID: "r")) })
    return tickets
  }

  @Test("are told apart by a number behind the name")
  func names() throws {
    try commit(first)
    try commit(other)
    try commit(third)
    let names = try store.queueSnapshot().map(\.name)
    #expect(names.map(\.description) == ["\(first.logID)", "\(first.logID)#1", "\(first.logID)#2"])
    #expect(names.map { QueueName($0.description) } == names)
    for text in ["", "#1", "x#1", "\(first.logID)#", "\(first.logID)#0", "\(first.logID)#+1", "\(first.logID)#1#2"] {
      #expect(QueueName(text) == nil, "\(text)")
    }
  }

  @Test("are delivered under a name of their own, and the first one under its own")
  func named() throws {
    try commit(first)
    try commit(other)
    let own = try #require(try store.nameSuspect(QueueName(first.logID, suspect: 1)))
    #expect(own != first.logID)
    #expect(try store.queueSnapshot().map(\.reason) == [nil, "awaiting_confirmation"], "not before a person's word")
    #expect(try store.confirm([own]) == [own])
    let sent = try deliver().map(\.record)
    #expect(sent.map(\.logID) == [first.logID, own])
    #expect(sent.map { $0.values[0].number.mantissa } == [112, 300])
    #expect(sent.allSatisfy { $0.revision == 1 && !$0.flags.contains(.identitySuspect) && $0.isIntact })
    #expect(try store.nameSuspect(QueueName(first.logID, suspect: 1)) == nil)
    // The meter sends both again, now and in the next session.
    for _ in 0..<2 {
      #expect(try commit(first).duplicates.count == 1)
      #expect(try commit(other).duplicates.count == 1)
      #expect(try store.queueSnapshot().isEmpty)
      try store.endSession()
      try start()
    }
  }

  @Test("that are damaged become no readings of their own, and can be thrown away")
  func damaged() throws {
    try commit(first)
    try commit(other)
    try store.database.write { db in
      try db.execute(
        sql: """
          UPDATE record SET content = CAST(replace(content, '"mantissa":', '"mantissa":9') AS BLOB) WHERE suspect = 1
          """)
    }
    let name = try #require(try store.queueSnapshot().last?.name)
    #expect(name == QueueName(first.logID, suspect: 1))
    #expect(try store.nameSuspect(name) == nil)
    #expect(try store.discardSuspect(name))
    #expect(try store.queueSnapshot().map(\.record) == [first])
  }

  @Test("get what their meter adds later under the name of their own")
  func lateContext() throws {
    try commit(first)
    try commit(other)
    let own = try #require(try store.nameSuspect(QueueName(first.logID, suspect: 1)))
    _ = try store.confirm([own])
    #expect(try deliver().count == 2)
    let receipt = try commit(Fixture.glucose(1, mantissa: 300, context: [Fixture.beforeMeal]))
    #expect(receipt.revised.map(\.record.logID) == [own] && receipt.suspects.isEmpty)
    #expect(try deliver().map(\.pin.revision) == [2])
    #expect(try commit(Fixture.glucose(1, context: [Fixture.beforeMeal])).revised.map(\.record.logID) == [first.logID])
  }

  @Test("have the same name on every gateway, and each its own")
  func stable() throws {
    let elsewhere = try TemporaryFolder()
    let second = try MeterStore(folder: elsewhere.state)
    let generation = try second.startSession(Fixture.user, token: Fixture.token).session.generation
    _ = try second.commit([Fixture.unit(generation, [first, third, other])])
    try commit(first)
    try commit(other)
    let here = try store.nameSuspect(QueueName(first.logID, suspect: 1))
    #expect(try here != nil && second.nameSuspect(QueueName(first.logID, suspect: 2)) == here)
    #expect(try second.nameSuspect(QueueName(first.logID, suspect: 1)) != here)
  }

  @Test("are thrown away apart from the first one, whatever state that is in, and stay away")
  func discarded() throws {
    try commit(first, .held(.clockSuspect))
    try commit(other)
    try commit(third)
    #expect(try store.discardSuspect(QueueName(first.logID, suspect: 1)))
    #expect(try !store.discardSuspect(QueueName(first.logID, suspect: 1)))
    #expect(try !store.discardSuspect(QueueName(first.logID)))
    #expect(try store.queueSnapshot().map(\.name.suspect) == [nil, 2])
    #expect(try commit(other).duplicates.count == 1)
    #expect(try commit(Fixture.glucose(1, mantissa: 300, context: [Fixture.beforeMeal])).duplicates.count == 1)
    #expect(try store.discard([first.logID]) == [first.logID])
    #expect(try store.queueSnapshot().map(\.name.suspect) == [2], "and the first one apart from them")
    #expect(try store.discard([first.logID]).isEmpty)
    try store.endSession()
    try start()
    #expect(try commit(first).duplicates.count == 1 && commit(other).duplicates.count == 1)
    #expect(try commit(third).suspects.count == 1, "what waited comes again")
  }

  @Test("come back from a recovery file once")
  func recovered() throws {
    try commit(first)
    _ = try deliver()
    try commit(other)
    try commit(third)
    let file = try #require(try store.endSession()?.recoveryFile)
    try start()
    try commit(other)
    let own = try #require(try store.nameSuspect(QueueName(first.logID, suspect: 1)))
    let summary = try store.recover(file)
    #expect(summary.known.count == 1 && summary.held.count == 1)
    #expect(try store.queueSnapshot().map(\.logID) == [own, first.logID])
    #expect(try store.recover(file).known.count == 2)
  }
}
