import Foundation
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// Several receivers: each gets each reading, and the content stays until all have it.
@Suite("Several sinks in the store")
struct SinkTests {
  let folder: TemporaryFolder
  let store: MeterStore
  let generation: SessionGeneration
  static let token = AccessToken("research-opens-0815")

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
  }

  func commit(_ sequences: ClosedRange<UInt64>, images: [RecordImage] = []) throws {
    let records = sequences.map { CommitRecord(record: Fixture.glucose($0), disposition: .pending) }
    let name = Fixture.glucose(sequences.lowerBound).logID
    _ = try store.commit([
      CommitUnit(
        generation: generation, records: records, images: images.map { CommitImage(logID: name, image: $0) })
    ])
  }

  func accept(_ sink: String, as receiverID: String) throws {
    let tickets = try store.claim(sink: sink, limit: 99)
    _ = try store.resolve(tickets.map { ($0, .delivered(receiverID: receiverID)) })
  }

  @Test("keep a reading until every sink has it, and the id that each gave")
  func everySink() throws {
    try store.setSink("research", .unknown([1]), token: Self.token)
    #expect(try store.sinkNames() == [MeterStore.defaultSink, "research"])
    try commit(1...2)
    #expect(try store.tally() == [.pending: 4])
    try accept(MeterStore.defaultSink, as: "a")
    #expect(try store.usage().records == 2)
    #expect(try store.claim(sink: MeterStore.defaultSink, limit: 9).isEmpty)
    try accept("research", as: "b")
    #expect(try store.usage().records == 0 && store.tally() == [:])
    let entries = try store.queueEntry(Fixture.glucose(1).logID)
    #expect(entries.map(\.sink) == [MeterStore.defaultSink, "research"])
    #expect(entries.map(\.receiverID) == ["a", "b"])
    try commit(1...2)
    #expect(try store.tally() == [:], "a meter that resends everything causes nothing at either")
  }

  @Test("send with tokens of their own")
  func tokens() throws {
    try store.setSink("research", .unknown([1]), token: Self.token)
    try commit(1...1)
    #expect(try store.claim(sink: "research", limit: 1).map(\.token) == [Self.token])
    #expect(try store.claim(sink: MeterStore.defaultSink, limit: 1).map(\.token) == [Fixture.token])
    let bytes = try Data(contentsOf: folder.state.appending(path: MeterStore.fileName))
    let log = try Data(contentsOf: folder.state.appending(path: MeterStore.fileName + "-wal"))
    for data in [bytes, log] { #expect(data.range(of: Data("research-opens".utf8)) == nil, "encrypted at rest") }
  }

  @Test("images go to each receiver under that receiver's id of the record")
  func images() throws {
    try store.setSink("research", .unknown([1]), token: Self.token)
    let image = try Fixture.image(1)
    try commit(1...1, images: [image])
    try accept("research", as: "b")
    #expect(try store.claimImage(sink: MeterStore.defaultSink, excluding: []) == nil)
    let ticket = try #require(try store.claimImage(sink: "research", excluding: []))
    #expect(ticket.recordID == "b" && ticket.token == Self.token)
    _ = try store.resolve(ticket, .delivered(receiverID: nil))
    try accept(MeterStore.defaultSink, as: "a")
    #expect(try store.claimImage(sink: MeterStore.defaultSink, excluding: [])?.recordID == "a")
    // An image that comes later finds both ids.
    try commit(1...1, images: [Fixture.image(2)])
    #expect(try store.claimImage(sink: "research", excluding: [])?.recordID == "b")
  }

  @Test("one that comes later gets what is read from then on")
  func added() throws {
    try commit(1...1)
    try store.setSink("research", .unknown([1]), token: Self.token)
    try commit(2...2)
    #expect(try store.claim(sink: "research", limit: 9).map(\.record.deviceSequence) == [2])
    try accept(MeterStore.defaultSink, as: "a")
    #expect(try store.usage().records == 1)
  }

  @Test("one that is removed holds nothing back, and its token is gone")
  func removed() throws {
    try store.setSink("research", .unknown([1]), token: Self.token)
    try commit(1...2, images: [Fixture.image(1)])
    let tickets = try store.claim(sink: "research", limit: 1)
    try accept(MeterStore.defaultSink, as: "a")
    #expect(try store.removeSink("research"))
    #expect(try !store.removeSink("research"))
    #expect(try store.usage().records == 0 && store.tally() == [:])
    #expect(try store.resolve(tickets.map { ($0, .delivered(receiverID: "b")) }) == [false])
    #expect(try store.credential(sink: "research") == nil)
    #expect(try store.imageSnapshot().map(\.sink) == [MeterStore.defaultSink])
    let entry = try store.queueEntry(Fixture.glucose(1).logID)
    #expect(entry.map(\.receiverID) == ["a"])
  }

  @Test("a refused token stops that sink only, until it gets a new one")
  func refused() throws {
    try store.setSink("research", .unknown([1]), token: Self.token)
    try commit(1...1)
    let serial = try #require(try store.credential(sink: "research")).tokenSerial
    guard case .stopped = try store.refuse(sink: "research", tokenSerial: serial) else {
      Issue.record("the refusal was of the token in force")
      return
    }
    #expect(try store.events(after: 0).events.last?.event == .sinkRefused(HostEvent.SinkRefusal(sink: "research")))
    #expect(try store.credential(sink: "research") == nil)
    #expect(try store.claim(sink: "research", limit: 9).isEmpty)
    #expect(try store.claim(sink: MeterStore.defaultSink, limit: 9).count == 1)
    try store.setSink("research", .unknown([1]), token: AccessToken("new"))
    guard case .stale = try store.refuse(sink: "research", tokenSerial: serial) else {
      Issue.record("the refusal was the earlier token's")
      return
    }
    #expect(try store.claim(sink: "research", limit: 9).count == 1)
  }

  @Test("go with the session, and stay when the same user comes back")
  func sessions() throws {
    try store.setSink("research", .unknown([1]), token: Self.token)
    _ = try store.startSession(Fixture.user, token: AccessToken("again"))
    #expect(try store.furtherSinks().map(\.name) == ["research"])
    try commit(1...1)
    let ended = try #require(try store.startSession(Fixture.otherUser, token: Fixture.token).ended)
    #expect(try ended.entries().map(\.sink) == [MeterStore.defaultSink, "research"])
    #expect(try store.furtherSinks().isEmpty && store.sinkNames() == [MeterStore.defaultSink])
    #expect(try store.credential(sink: "research") == nil)
  }

  @Test(
    "names and numbers have bounds",
    arguments: ["", "inform", "A", "a b", "ä", "a/b", String(repeating: "a", count: 33)])
  func names(name: String) throws {
    let error = #expect(throws: StoreError.self) { try store.setSink(name, .unknown(), token: Self.token) }
    #expect(error?.code == .sink)
  }

  @Test("there are no more than can be served, and none without a session")
  func bounds() throws {
    for number in 1...MeterStore.sinkLimit { try store.setSink("s\(number)", .unknown(), token: Self.token) }
    #expect(throws: StoreError.self) { try store.setSink("one-more", .unknown(), token: Self.token) }
    try store.setSink("s1", .unknown([7]), token: Self.token)
    #expect(throws: StoreError.self) { try store.removeSink(MeterStore.defaultSink) }
    try store.endSession()
    let error = #expect(throws: StoreError.self) { try store.setSink("x", .unknown(), token: Self.token) }
    #expect(error?.code == .notFound)
  }

  @Test("pages of the queue show each delivery of each reading once", arguments: [1, 2, 3, 7, 100])
  func pages(length: Int) throws {
    for sink in ["alpha", "omega"] { try store.setSink(sink, .unknown([1]), token: Self.token) }
    try commit(1...9, images: [Fixture.image(1), Fixture.image(2)])
    _ = try store.resolve(
      store.claim(sink: "alpha", limit: 4).map { ($0, .dead(reason: "http-422", error: "no")) })
    func walk(_ states: Set<DeliveryState>) throws -> [String] {
      var found: [QueueEntry] = []
      while true {
        let page = try store.queueSnapshot(states: states, after: found.last?.position ?? 0, limit: length)
        guard !page.isEmpty else { return found.map { "\($0.position) \($0.sink)" } }
        found += page
      }
    }
    let sinks = ["alpha", "inform", "omega"]
    #expect(try walk([]) == (1...9).flatMap { record in sinks.map { "\(record) \($0)" } })
    #expect(try walk([.dead]) == (1...4).map { "\($0) alpha" })
    #expect(try walk([.dead, .pending]).count == 27)

    var images: [ImageEntry] = []
    while true {
      let page = try store.imageSnapshot(after: images.last?.position ?? 0, limit: length)
      guard !page.isEmpty else { break }
      images += page
    }
    #expect(images.map { "\($0.position) \($0.sink)" } == (1...2).flatMap { row in sinks.map { "\(row) \($0)" } })
  }

  @Test("a reading that one has refused is corrected for all")
  func edit() throws {
    for sink in ["alpha", "omega"] { try store.setSink(sink, .unknown([1]), token: Self.token) }
    try commit(1...1)
    let logID = Fixture.glucose(1).logID
    _ = try store.resolve(store.claim(sink: "alpha", limit: 1).map { ($0, .dead(reason: "http-422", error: "no")) })
    try accept(MeterStore.defaultSink, as: "a")
    let edit = RecordEdit(values: [1: .init(number: ReportedNumber(mantissa: 121, exponent: 0), unit: 2)])
    let flying = try store.claim(sink: "omega", limit: 1)
    #expect(try store.edit(logID, edit) == nil, "not while one revision is on its way")
    _ = try store.resolve(flying.map { ($0, .retry(error: "503", nextTryMicroseconds: nil)) })
    #expect(try store.edit(logID, edit)?.revision == 2)
    let entries = try store.queueEntry(logID)
    #expect(entries.map(\.state) == [.dead, .pending, .pending] && entries.allSatisfy { $0.revision == 2 })
    #expect(try store.claim(sink: MeterStore.defaultSink, limit: 9).map(\.pin.revision) == [2])
    #expect(try store.resubmit([logID]) == [logID])
    #expect(try store.claim(sink: "alpha", limit: 9).map(\.record.values[0].number.mantissa) == [121])
  }

  @Test("one that came after a reading gets its correction with the others, and not before")
  func editForLaterSink() throws {
    _ = try store.commit([
      Fixture.unit(generation, [Fixture.glucose(1)], disposition: .held(.clockSuspect))
    ])
    try store.setSink("research", .unknown([1]), token: Self.token)
    let logID = Fixture.glucose(1).logID
    _ = try #require(try store.edit(logID, RecordEdit(startMicroseconds: Fixture.morning)))
    #expect(try store.queueEntry(logID).map(\.reason) == ["clock_suspect", "clock_suspect"])
    #expect(try store.confirm([logID]) == [logID])
    #expect(try store.tally() == [.pending: 2])
  }
}
