import Foundation
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// What is remembered of a reading when its content has gone: at a session's end, and when a person throws it away.
@Suite("What was seen")
struct SeenTests {
  let folder: TemporaryFolder
  let store: MeterStore
  let plain = Fixture.glucose(1)
  let withMeal = Fixture.glucose(1, context: [Fixture.beforeMeal])

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    try start()
  }

  @discardableResult
  func start() throws -> SessionGeneration {
    try store.startSession(Fixture.user, token: Fixture.token).session.generation
  }

  @discardableResult
  func commit(_ record: MeterCore.Record, _ disposition: Disposition = .pending) throws -> CommitReceipt {
    let generation = try store.currentSession().generation
    return try store.commit([Fixture.unit(generation, [record], disposition: disposition)])[0]
  }

  func deliver(_ sink: String = MeterStore.defaultSink) throws -> [Int] {
    let tickets = try store.claim(sink: sink, limit: 9)
    _ = try store.resolve(tickets.map { ($0, .delivered(receiverID: "r")) })
    return tickets.map(\.pin.revision)
  }

  @Test("a content that was replaced before it was sent stays known after the session's end")
  func replacedBeforeItWasSent() throws {
    try commit(plain)
    try commit(withMeal)
    #expect(try deliver() == [2])
    try store.endSession()
    try start()
    #expect(try commit(plain).duplicates.count == 1)
    #expect(try commit(withMeal).duplicates.count == 1)
    #expect(try store.queueSnapshot().isEmpty)
  }

  @Test("the meter's own value of a reading that was corrected and delivered is no collision in the next session")
  func edited() throws {
    try commit(plain, .held(.clockSuspect))
    _ = try #require(try store.edit(plain.logID, RecordEdit(startMicroseconds: Fixture.morning + 7_000_000)))
    _ = try store.confirm([plain.logID])
    #expect(try deliver() == [2])
    try store.endSession()
    try start()
    let receipt = try commit(plain)
    #expect(receipt.duplicates.count == 1 && receipt.suspects.isEmpty)
  }

  @Test("a person's word on what they were shown releases nothing that has changed since")
  func shown() throws {
    try commit(plain, .held(.awaitingConfirmation))
    #expect(try store.queueSnapshot().map(\.revision) == [1])
    try commit(withMeal, .held(.awaitingConfirmation))
    let revision = try #require(try store.queueSnapshot().first?.revision)
    #expect(revision == 2)
    for stale in [1, 0, 3, -1, .max] { #expect(try store.confirm([plain.logID], revision: stale).isEmpty, "\(stale)") }
    #expect(try store.queueSnapshot().map(\.state) == [.held])
    #expect(try store.confirm([plain.logID], revision: revision) == [plain.logID])
    #expect(try store.queueSnapshot().map(\.state) == [.pending])
  }

  @Test("what waited when the session ended comes again, as the next revision of what is delivered")
  func waitingRevision() throws {
    try commit(plain)
    #expect(try deliver() == [1])
    try commit(withMeal)
    try store.endSession()
    try start()
    #expect(try commit(plain).duplicates.count == 1)
    #expect(try commit(withMeal).revised.map(\.record.revision) == [2])
    #expect(try deliver() == [2])
  }

  @Test("what the session's own receiver has is not sent there again because another one had it not")
  func acceptedByOne() throws {
    try store.setSink("research", .unknown([1]), token: Fixture.token)
    try commit(plain)
    try commit(withMeal)
    #expect(try deliver() == [2])
    let file = try #require(try store.endSession()?.recoveryFile)
    try start()
    #expect(try commit(plain).duplicates.count == 1)
    #expect(try commit(withMeal).duplicates.count == 1)
    // The other one gets it out of the recovery file.
    #expect(try store.recover(file).unplaced.count == 1)
    try store.setSink("research", .unknown([1]), token: Fixture.token)
    #expect(try store.recover(file).pending == [plain.logID])
    #expect(try store.queueSnapshot().map(\.sink) == ["research"])
    #expect(try deliver("research") == [2])
    #expect(try store.recover(file).known.count == 1)
    #expect(try store.usage().records == 0)
  }

  @Test("the next revision of what the session's own receiver has comes again, and what came before it does not")
  func acceptedEarlierByOne() throws {
    try store.setSink("research", .unknown([1]), token: Fixture.token)
    try commit(plain)
    #expect(try deliver() == [1])
    try commit(withMeal)
    try store.endSession()
    try start()
    #expect(try commit(plain).duplicates.count == 1)
    #expect(try commit(withMeal).revised.map(\.record.revision) == [2])
  }

  @Test("what another receiver alone has comes again for the session's own")
  func acceptedByTheOther() throws {
    try store.setSink("research", .unknown([1]), token: Fixture.token)
    try commit(plain)
    #expect(try deliver("research") == [1])
    try store.endSession()
    try start()
    #expect(try commit(plain).new.count == 1)
  }

  @Test("a link that breaks before the context comes takes no meal back, and the whole reading is known")
  func lostContext() throws {
    try commit(withMeal)
    #expect(try commit(plain).duplicates == [plain.logID])
    #expect(try commit(withMeal).duplicates == [plain.logID])
    #expect(try store.queueSnapshot().map(\.record?.values) == [withMeal.values])
  }

  @Test("a reading that was thrown away stays away when its meal comes later", arguments: [false, true])
  func discarded(inLaterSession: Bool) throws {
    try commit(plain, .held(.awaitingConfirmation))
    #expect(try store.discard([plain.logID]) == [plain.logID])
    if inLaterSession {
      try store.endSession()
      try start()
    }
    #expect(try commit(plain).duplicates.count == 1)
    #expect(try commit(withMeal).duplicates == [plain.logID])
    #expect(try commit(withMeal).duplicates == [plain.logID], "nor the second time")
    let afterMeal = RecordValue(metric: 100, unit: 1, number: ReportedNumber(mantissa: 2, exponent: 0))
    #expect(try commit(Fixture.glucose(1, context: [afterMeal])).duplicates == [plain.logID])
    #expect(try store.queueSnapshot().isEmpty)
    #expect(try store.usage().records == 0)
  }

  @Test("also when it was corrected before it was thrown away")
  func editedAndDiscarded() throws {
    try commit(plain, .held(.clockSuspect))
    _ = try #require(try store.edit(plain.logID, RecordEdit(startMicroseconds: Fixture.morning + 7_000_000)))
    _ = try store.discard([plain.logID])
    let receipt = try commit(withMeal)
    #expect(receipt.duplicates == [plain.logID] && receipt.suspects.isEmpty)
  }

  @Test("other values under the name of one that was thrown away are another reading")
  func otherValues() throws {
    try commit(plain, .held(.awaitingConfirmation))
    _ = try store.discard([plain.logID])
    #expect(try commit(Fixture.glucose(1, mantissa: 300)).suspects.count == 1)
  }

  @Test("a sum that has grown since it was thrown away is a new value; the same one is not")
  func discardedSum() throws {
    func sum(_ mantissa: Int64) -> MeterCore.Record { Fixture.glucose(1, mantissa: mantissa, identityClass: .summary) }
    try commit(sum(100), .held(.implausibleValue))
    _ = try store.discard([plain.logID])
    #expect(try commit(sum(100)).duplicates.count == 1)
    let grown = try commit(sum(150)).revised
    #expect(grown.map(\.record.revision) == [2] && grown.first?.disposition == .pending)
  }

  @Test("a recovery file does not bring back what was thrown away since")
  func recovered() throws {
    try commit(withMeal)
    let file = try #require(try store.endSession()?.recoveryFile)
    try start()
    try commit(plain, .held(.awaitingConfirmation))
    _ = try store.discard([plain.logID])
    #expect(try store.recover(file).known == [plain.logID])
    #expect(try store.queueSnapshot().isEmpty)
  }

  @Test("throwing away what one receiver refused takes nothing from the one that has it")
  func discardedForOne() throws {
    try store.setSink("research", .unknown([1]), token: Fixture.token)
    try commit(plain)
    #expect(try deliver() == [1])
    let refused = try store.claim(sink: "research", limit: 1)
    _ = try store.resolve(refused.map { ($0, .dead(reason: "http-422", error: "no")) })
    #expect(try store.discard([plain.logID]) == [plain.logID])
    #expect(try store.queueEntry(plain.logID).map(\.sink) == [MeterStore.defaultSink])
    #expect(try commit(plain).duplicates.count == 1)
    #expect(try commit(withMeal).revised.count == 1)
  }
}
