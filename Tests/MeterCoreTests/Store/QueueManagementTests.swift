import Foundation
import GRDB
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

@Suite("Managing the queue")
struct QueueManagementTests {
  let folder: TemporaryFolder
  let store: MeterStore
  let generation: SessionGeneration

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
  }

  /// Commits a glucose reading that the receiver then refuses for good.
  func dead(_ record: MeterCore.Record) throws {
    _ = try store.commit([Fixture.unit(generation, [record])])
    let ticket = try #require(try store.claim(sink: MeterStore.defaultSink, limit: 1).first)
    #expect(try store.resolve(ticket, .dead(reason: "http-422", error: "no")))
  }

  func again(_ records: [MeterCore.Record]) throws -> CommitReceipt {
    try store.commit([Fixture.unit(generation, records)])[0]
  }

  @Test("a refused reading goes out again when a person says so, and no other does")
  func resubmit() throws {
    let (refused, held) = (Fixture.glucose(1), Fixture.glucose(2))
    try dead(refused)
    _ = try store.commit([Fixture.unit(generation, [held], disposition: .held(.clockSuspect))])
    #expect(try store.resubmit([refused.logID, held.logID, .live()]) == [refused.logID])
    #expect(try store.claim(sink: MeterStore.defaultSink, limit: 9).map(\.record.logID) == [refused.logID])
    #expect(try store.resubmit([refused.logID]).isEmpty)
  }

  @Test("everything that was refused goes out again, or what was refused for one reason, and nothing that is damaged")
  func resubmitAll() throws {
    let records = (1...4).map { Fixture.glucose($0) }
    for (record, reason) in zip(records, ["http-404", "http-422", MeterStore.damaged, "http-404"]) {
      _ = try store.commit([Fixture.unit(generation, [record])])
      let ticket = try #require(try store.claim(sink: MeterStore.defaultSink, limit: 1).first)
      #expect(try store.resolve(ticket, .dead(reason: reason, error: "no")))
    }
    let held = Fixture.glucose(5)
    _ = try store.commit([Fixture.unit(generation, [held], disposition: .held(.clockSuspect))])
    #expect(try store.resubmitAll(reason: "http-413").isEmpty)
    #expect(try store.resubmitAll(reason: "http-404") == [records[0].logID, records[3].logID])
    let entry = try #require(try store.queueEntry(records[0].logID).first)
    #expect(entry.state == .pending && entry.reason == nil && entry.attempts == 0)
    #expect(try store.queueSnapshot(states: [.dead]).map(\.logID) == [records[1].logID, records[2].logID])
    #expect(try store.resubmitAll() == [records[1].logID])
    #expect(try store.resubmitAll(reason: MeterStore.damaged) == [records[2].logID])
    #expect(try store.queueSnapshot(states: [.held]).map(\.logID) == [held.logID])
    #expect(try store.resubmitAll().isEmpty)
  }

  @Test("of a session that is over nothing goes out again")
  func resubmitAllOfAnother() throws {
    try dead(Fixture.glucose(1))
    _ = try store.startSession(SessionUser(userID: "grace", organizationID: "clinic"), token: Fixture.token)
    #expect(try store.resubmitAll().isEmpty)
  }

  @Test("what is thrown away stays away, also in the user's next session")
  func discard() throws {
    let (refused, held, pending) = (Fixture.glucose(1), Fixture.glucose(2), Fixture.glucose(3))
    try dead(refused)
    _ = try store.commit([
      Fixture.unit(generation, [held], disposition: .held(.clockSuspect)), Fixture.unit(generation, [pending]),
    ])
    #expect(try store.discard([refused.logID, held.logID, pending.logID]) == [refused.logID, held.logID])
    #expect(try store.queueSnapshot().map(\.logID) == [pending.logID])
    #expect(try again([refused, held]).duplicates.count == 2)
    #expect(try store.discard([pending.logID], includingPending: true) == [pending.logID])
    _ = try store.endSession()
    let next = try store.startSession(Fixture.user, token: Fixture.token).session.generation
    let receipt = try store.commit([Fixture.unit(next, [refused, held, pending])])[0]
    #expect(receipt.duplicates.count == 3 && receipt.new.isEmpty)
  }

  @Test("what has changed since a person was shown it is not thrown away, sent again or corrected")
  func decidedAboutAnother() throws {
    let (refused, held) = (Fixture.glucose(1), Fixture.glucose(2))
    try dead(refused)
    _ = try store.commit([Fixture.unit(generation, [held], disposition: .held(.clockSuspect))])
    let edit = RecordEdit(startMicroseconds: Fixture.morning)
    let later = RecordEdit(startMicroseconds: Fixture.morning + 1)
    for logID in [refused.logID, held.logID] {
      #expect(try store.edit(logID, edit, revision: 1)?.revision == 2)
      #expect(try store.edit(logID, later, revision: 1) == nil)
      #expect(try store.discard([logID], revision: 1).isEmpty)
    }
    #expect(try store.resubmit([refused.logID], revision: 1).isEmpty)
    #expect(try Set(store.queueSnapshot().map(\.revision)) == [2])
    #expect(try store.resubmit([refused.logID], revision: 2) == [refused.logID])
    #expect(try store.discard([held.logID], revision: 2) == [held.logID])
  }

  @Test("what is being sent cannot be thrown away")
  func discardInFlight() throws {
    let record = Fixture.glucose(1)
    _ = try store.commit([Fixture.unit(generation, [record])])
    let ticket = try #require(try store.claim(sink: MeterStore.defaultSink, limit: 1).first)
    #expect(try store.discard([record.logID], includingPending: true).isEmpty)
    #expect(try store.resolve(ticket, .delivered(receiverID: nil)))
    #expect(try store.discard([record.logID], includingPending: true).isEmpty)
  }

  @Test("an edited reading keeps its name and state, has the next revision, and the meter's value does not come back")
  func edit() throws {
    let record = Fixture.glucose(1)
    try dead(record)
    let edit = RecordEdit(values: [1: .init(number: ReportedNumber(mantissa: 121, exponent: 0), unit: 2)])
    let edited = try #require(try store.edit(record.logID, edit))
    #expect(edited.revision == 2 && edited.logID == record.logID && edited.origin == .manual)
    let entry = try #require(try store.queueSnapshot().first)
    #expect(entry.state == .dead && entry.reason == "http-422" && entry.record == edited)
    #expect(try again([record]).duplicates == [record.logID])
    #expect(try store.resubmit([record.logID]) == [record.logID])
    let ticket = try #require(try store.claim(sink: MeterStore.defaultSink, limit: 9).first)
    #expect(ticket.record.values[0].number.mantissa == 121 && ticket.pin.revision == 2)
  }

  @Test("an edit that does not fit changes nothing")
  func badEdit() throws {
    let (held, pending) = (Fixture.glucose(1), Fixture.glucose(2))
    _ = try store.commit([
      Fixture.unit(generation, [held], disposition: .held(.clockSuspect)), Fixture.unit(generation, [pending]),
    ])
    let number = ReportedNumber(mantissa: 5, exponent: 0)
    let celsius = try #require(MetricUnit.withUCUM("Cel")).code
    for edit in [
      RecordEdit(), RecordEdit(startMicroseconds: held.time.startMicroseconds),
      RecordEdit(values: [1: .init(number: number, unit: celsius)]),
      RecordEdit(values: [9_999: .init(number: number, unit: 2)]),
    ] {
      #expect(try store.edit(held.logID, edit) == nil)
    }
    #expect(try store.edit(pending.logID, RecordEdit(startMicroseconds: 5)) == nil)
    #expect(try store.queueSnapshot().map(\.revision) == [1, 1])
    let moved = try #require(try store.edit(held.logID, RecordEdit(startMicroseconds: Fixture.morning)))
    #expect(moved.time.startMicroseconds == Fixture.morning && moved.origin == .device)
    // The season of another date, so that the receiver shows the hour that the person has written.
    let july = RecordEdit(startMicroseconds: Fixture.morning + 86_400_000_000 * 120, utcOffsetSeconds: 7200)
    let summer = try #require(try store.edit(held.logID, july))
    #expect(summer.time.utcOffsetSeconds == 7200 && summer.time.zoneSource == .user)
  }

  @Test("pages show each entry once, whatever the states")
  func pages() throws {
    for number in UInt64(1)...20 {
      let disposition: Disposition = number.isMultiple(of: 3) ? .held(.clockSuspect) : .pending
      _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(number)], disposition: disposition)])
    }
    func walk(_ states: Set<DeliveryState>) throws -> [UInt64?] {
      var found: [QueueEntry] = []
      while true {
        let page = try store.queueSnapshot(states: states, after: found.last?.position ?? 0, limit: 3)
        guard !page.isEmpty else { return found.map { $0.record?.deviceSequence } }
        found += page
      }
    }
    #expect(try walk([]) == (1...20).map { UInt64($0) })
    #expect(try walk([.held]) == [3, 6, 9, 12, 15, 18])
    #expect(try store.tally() == [.pending: 14, .held: 6])
  }

  @Test("a pause outlives the process, and readings are taken all the while")
  func pause() throws {
    try store.setPaused(true)
    try store.setPaused(true)
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1)])])
    #expect(try store.isPaused())
    try store.setPaused(false)
    #expect(try !store.isPaused())
  }

  @Test("the counts follow every change")
  func counts() throws {
    try dead(Fixture.glucose(1))
    _ = try store.commit([
      Fixture.unit(generation, [Fixture.glucose(2)]),
      Fixture.unit(generation, [Fixture.glucose(2, context: [Fixture.beforeMeal])]),
      Fixture.unit(generation, [Fixture.glucose(3)], disposition: .held(.clockSuspect)),
    ])
    func compare() throws {
      let counted = try store.reading { db -> (Int, Int64, [String: Int]) in
        let row = try Row.fetchOne(db, sql: "SELECT count(*) AS n, coalesce(sum(length(content)), 0) AS b FROM record")
        var tally: [String: Int] = [:]
        for row in try Row.fetchAll(db, sql: "SELECT state, count(*) AS n FROM delivery GROUP BY state") {
          tally[row["state"]] = row["n"]
        }
        return (row?["n"] ?? -1, row?["b"] ?? -1, tally)
      }
      let usage = try store.usage()
      #expect(usage.records == counted.0 && usage.bytes == counted.1)
      let tally = try store.tally().map { ($0.key.rawValue, $0.value) }
      #expect(Dictionary(uniqueKeysWithValues: tally) == counted.2)
    }
    try compare()
    _ = try store.resubmit([Fixture.glucose(1).logID])
    try compare()
    for ticket in try store.claim(sink: MeterStore.defaultSink, limit: 9) {
      _ = try store.resolve(ticket, .delivered(receiverID: nil))
    }
    try compare()
    _ = try store.discard([Fixture.glucose(3).logID])
    try compare()
    _ = try store.endSession()
    try compare()
    #expect(try store.usage() == QueueUsage(records: 0, bytes: 0))
  }

  @Test("the file shrinks when its readings have left it")
  func space() throws {
    for start in stride(from: UInt64(0), to: 2_000, by: 500) {
      _ = try store.commit([Fixture.unit(generation, (start..<start + 500).map { Fixture.glucose($0) })])
    }
    func pages() throws -> Int {
      try store.reading { db in try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0 }
    }
    let full = try pages()
    _ = try store.discard(Set((UInt64(0)..<2_000).map { Fixture.glucose($0).logID }), includingPending: true)
    while try store.giveBackSpace(pages: 50) {}
    // What was seen stays.
    let left = try pages()
    #expect(left < full / 2, "\(full) pages, now \(left)")
  }
}
