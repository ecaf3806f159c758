import GRDB
import Foundation
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// A kind of sink that takes some readings only.
private struct PickySetting: SinkSetting {
  static let kind = "picky"
  static let summary = "takes some readings"
  static let credentialUse = CredentialUse.none
  static let members = [
    SinkMember("first", .number, isRequired: true, help: "the lowest sequence that it takes"),
    SinkMember("images", .word(["yes", "no"]), help: "whether it takes pictures"),
  ]

  var first: UInt64
  var images: String?

  var address: String { "from \(first)" }
  var capabilities: SinkCapabilities {
    SinkCapabilities(takesImages: images != "no") { [first] in ($0.deviceSequence ?? 0) >= first }
  }

  func checked(in place: SinkPlace) throws -> PickySetting { self }
  func sink() throws -> any Sink { ScriptedSink { records, _ in records.map { _ in SinkReply(.delivered()) } } }
}

@Suite("What sinks have no form for")
struct SinkCapabilityTests {
  private let folder: TemporaryFolder
  private let store: MeterStore
  private let generation: SessionGeneration
  private static let kinds = SinkKinds([SinkKind(PickySetting.self)])

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state, sinkKinds: Self.kinds)
    let own = try PickySetting(first: 3).stored()
    generation = try store.startSession(Fixture.user, token: nil, options: SessionOptions(receiver: own))
      .session.generation
    try store.setSink("archive", PickySetting(first: 2, images: "no").stored(), token: nil)
  }

  private func commit(_ sequences: ClosedRange<UInt64>, images: [RecordImage] = []) throws -> [Disposition] {
    let records = sequences.map { CommitRecord(record: Fixture.glucose($0), disposition: .pending) }
    let image = images.map { CommitImage(logID: Fixture.glucose(sequences.lowerBound).logID, image: $0) }
    let receipts = try store.commit([CommitUnit(generation: generation, records: records, images: image)])
    return receipts.flatMap(\.new).map(\.disposition)
  }

  private func accept(_ sink: String, as receiverID: String?) throws -> [LogID] {
    let tickets = try store.claim(sink: sink, limit: 99)
    _ = try store.resolve(tickets.map { ($0, .delivered(receiverID: receiverID)) })
    return tickets.map(\.record.logID)
  }

  @Test("is not queued for them, and held where nobody takes it")
  func filter() throws {
    #expect(try commit(1...3) == [.held(.notDeliverable), .pending, .pending])
    let queue = try store.queueSnapshot().map { "\($0.sink) \($0.record?.deviceSequence ?? 0) \($0.state.rawValue)" }
    #expect(
      queue == ["archive 1 held", "inform 1 held", "archive 2 pending", "archive 3 pending", "inform 3 pending"])
    #expect(try accept("archive", as: "a").count == 2 && accept("inform", as: "b") == [Fixture.glucose(3).logID])
    #expect(try store.usage().records == 1, "what waits for a person stays")
    #expect(try store.confirm([Fixture.glucose(1).logID]).isEmpty, "a person's word gives nobody a form for it")
  }

  @Test("is held when it comes back from a recovery file to receivers that do not take it")
  func recovered() throws {
    _ = try commit(2...2)
    let file = try #require(try store.endSession()?.recoveryFile)
    let own = try PickySetting(first: 9).stored()
    _ = try store.startSession(Fixture.user, token: nil, options: SessionOptions(receiver: own))
    try store.setSink("archive", PickySetting(first: 9).stored(), token: nil)
    _ = try store.recover(file)
    let states = try store.queueSnapshot().map { "\($0.state.rawValue) \($0.reason ?? "")" }
    #expect(states == ["held not_deliverable"])
    #expect(try store.claim(sink: "archive", limit: 9).isEmpty)
  }

  @Test("is remembered as theirs only who have got it")
  func remembered() throws {
    _ = try commit(2...2)
    _ = try accept("archive", as: "of-archive")
    let entries = try store.queueEntry(Fixture.glucose(2).logID)
    #expect(entries.map(\.sink) == ["archive"] && entries.map(\.receiverID) == ["of-archive"])
    _ = try store.commit([
      CommitUnit(
        generation: generation, records: [],
        images: [CommitImage(logID: Fixture.glucose(2).logID, image: Fixture.image(1))])
    ])
    #expect(try store.imageSnapshot().isEmpty, "no picture goes to who has not got the reading, under another one's id")
  }

  @Test("of pictures is not queued for them either")
  func images() throws {
    _ = try commit(3...3, images: [Fixture.image(1)])
    #expect(try store.imageSnapshot().map(\.sink) == ["inform"])
  }

  @Test("is no loss to a repair")
  func repair() throws {
    _ = try commit(2...4)
    let state = folder.state
    let copy = try TemporaryFolder()
    try store.database.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
    try FileManager.default.copyItem(at: state, to: copy.state)
    let report = try MeterStore.repair(folder: copy.state, sinkKinds: Self.kinds)
    #expect(report.held.isEmpty && report.lost.isEmpty && !report.lostSession)
    let repaired = try MeterStore(folder: copy.state, sinkKinds: Self.kinds)
    #expect(try repaired.sinks().map(\.name) == ["inform", "archive"])
    #expect(try repaired.tally() == [.pending: 5])
  }

  @Test("is not asked of a kind that this program does not know: it takes everything")
  func unknownKind() throws {
    try store.setSink("later", .unknown(), token: nil)
    #expect(try commit(1...1) == [.pending])
    #expect(try store.queueSnapshot().map(\.sink) == ["later"])
  }

  @Test(
    "a setting that cannot be read is told by its member",
    arguments: [
      (#"{}"#, "has no first"), (#"{"first":"x"}"#, "another kind of value for first"), ("[", "no JSON"),
    ])
  func badSetting(json: String, words: String) throws {
    let kind = try Self.kinds.kind("picky")
    let error = #expect(throws: SinkSettingError.self) { try kind.setting(Array(json.utf8)) }
    #expect(error?.code == .setting && error?.message.contains(words) == true, "\(error?.message ?? "")")
    #expect(error?.hint == "it says first, [images]")
    #expect(throws: SinkSettingError.self) { try Self.kinds.kind("nothing") }
  }
}

@Suite("A sink in the store")
struct SinkStateTests {
  private let folder: TemporaryFolder
  private let store: MeterStore
  private let generation: SessionGeneration

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    generation = try store.startSession(Fixture.user, token: nil, options: SessionOptions(receiver: .unknown([1])))
      .session.generation
  }

  @Test("needs no token, keeps what became of its last attempts, and can be paused")
  func state() throws {
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1), Fixture.glucose(2)])])
    let tickets = try store.claim(sink: MeterStore.defaultSink, limit: 9)
    #expect(tickets.map(\.token) == [nil, nil])
    _ = try store.resolve([
      (tickets[0], .delivered(receiverID: nil)), (tickets[1], .retry(error: "disk full", nextTryMicroseconds: nil)),
    ])
    let own = try #require(try store.sinks().first)
    #expect(own.role == .session && !own.hasToken && own.lastSuccessMicroseconds != nil)
    #expect(own.lastError?.text == "disk full")
    try store.setPaused(true, sink: own.name)
    #expect(try store.claim(sink: own.name, limit: 9).isEmpty && store.sinks()[0].isPaused)
    #expect(try store.credential(ofSink: own.name) != nil, "who asks may be answered all the same")
    try store.setPaused(false, sink: own.name)
    #expect(try store.claim(sink: own.name, limit: 9).count == 1)
    #expect(try !store.setPaused(true, sink: "nobody"))
  }

  @Test("whose session has ended says nothing of it any more")
  func ended() throws {
    try store.setPaused(true, sink: MeterStore.defaultSink)
    _ = try store.endSession()
    #expect(try store.sinks().isEmpty && store.currentSession().options == SessionOptions())
    _ = try store.startSession(Fixture.otherUser, token: Fixture.token)
    let own = try #require(try store.sinks().first)
    #expect(!own.isPaused && own.lastError == nil && own.target.setting.isEmpty && own.hasToken)
  }
}
