import DeliverySupport
import Foundation
import GRDB
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore
@testable import CurlHTTP
@testable import InformSink

/// What happens is in the log exactly when it has happened, and nobody misses it silently.
@Suite("Event log", .timeLimit(.minutes(60)))
struct EventLogTests {
  let folder: TemporaryFolder
  let store: MeterStore
  let generation: SessionGeneration

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
  }

  private func commit(_ sequences: ClosedRange<UInt64>) throws {
    _ = try store.commit([Fixture.unit(generation, sequences.map { Fixture.glucose($0) })])
  }

  private func drain(_ status: Int, body: String = #"{"id":"r1"}"#) async throws {
    let server = try ScriptedServer { request, _ in
      request.method == "POST" ? .answer(status, body: body) : .answer(200)
    }
    let uploader = DeliveryEngine(
      store: store, endpoint: try ReceiverEndpoint(server.base), transport: CurlTransport(), clock: StoppedClock(),
      jitter: { 1 })
    _ = await uploader.drain()
  }

  private func names(after cursor: Int64 = 0) throws -> [String] {
    try store.events(after: cursor).events.map(\.event.name)
  }

  @Test("has each delivery once, with the receiver's id")
  func delivered() async throws {
    try commit(1...2)
    try await drain(201)
    #expect(try names() == ["session_started", "record_submitted", "record_submitted"])
    let events = try store.events(after: 1).events
    let expected = (UInt64(1)...2).map { sequence in
      HostEvent.recordSubmitted(
        HostEvent.SubmittedRecord(
          logID: Fixture.glucose(sequence).logID, revision: 1, sink: MeterStore.defaultSink, receiverID: "r1"))
    }
    #expect(Set(events.map(\.event)) == Set(expected))
    #expect(events.map(\.cursor) == [2, 3])
    try commit(1...2)
    try await drain(201)
    #expect(try names(after: 3).isEmpty, "what the meter sends again causes no event")
  }

  @Test("tells a final refusal with its reason")
  func refused() async throws {
    try commit(1...1)
    try await drain(422, body: #"{"errors":{"metrics":["is wrong"]}}"#)
    guard case .recordSubmissionFailed(let refused)? = try store.events(after: 1).events.first?.event else {
      Issue.record("no refusal in the log")
      return
    }
    #expect(refused.logID == Fixture.glucose(1).logID && refused.revision == 1)
    #expect(!refused.reason.isEmpty && refused.error.contains("is wrong"))
  }

  @Test("tells what a session's end has left, and who it was")
  func ended() throws {
    try commit(1...3)
    let ended = try #require(try store.endSession())
    guard case .sessionEnded(let end)? = try store.events(after: 1).events.first?.event else {
      Issue.record("no end in the log")
      return
    }
    #expect(end.userID == "ada" && end.organizationID == "clinic" && end.unsynced == 3)
    #expect(end.recoveryFile == ended.recoveryFile?.path)
  }

  @Test("goes on at a cursor after a restart")
  func restart() async throws {
    let own = try TemporaryFolder()
    var cursor: Int64 = 0
    for round in 1...3 {
      let store = try MeterStore(folder: own.state)
      let (session, _) = try store.startSession(
        SessionUser(userID: "user-\(round)", organizationID: "clinic"), token: Fixture.token)
      #expect(session.user?.userID == "user-\(round)")
      let page = try store.events(after: cursor)
      #expect(page.missed == 0)
      let started = page.events.compactMap { event -> String? in
        if case .sessionStarted(let start) = event.event { start.userID } else { nil }
      }
      #expect(started == ["user-\(round)"])
      cursor = page.next
    }
  }

  @Test("says how many events its bound has dropped")
  func bounded() throws {
    try store.transaction { db in
      for _ in 0..<10 { try MeterStore.log(.sessionStarted(HostEvent.SessionStart(Fixture.user)), db) }
      try db.execute(sql: "DELETE FROM event WHERE id <= 5")
    }
    let page = try store.events(after: 2)
    #expect(page.missed == 3)
    #expect(page.events.map(\.cursor) == Array(6...11))
    #expect(try store.events(after: 11) == EventPage(events: [], missed: 0, next: 11))
    try store.transaction { db in try db.execute(sql: "DELETE FROM event") }
    #expect(try store.events(after: 2) == EventPage(events: [], missed: 9, next: 11), "all are gone")
  }

  @Test("keeps a bounded number of events")
  func keepsItsBound() throws {
    try store.transaction { db in
      try db.execute(
        sql: "INSERT INTO event (id, time_us, content) SELECT \(MeterStore.eventLimit), time_us, content FROM event")
      try MeterStore.log(.sessionStarted(HostEvent.SessionStart(Fixture.user)), db)
    }
    #expect(try store.events(after: 0).events.map(\.cursor) == [MeterStore.eventLimit, MeterStore.eventLimit + 1])
  }

  @Test("refuses a cursor that it has not given", arguments: [-1, 2, Int64.max])
  func unknownCursor(_ cursor: Int64) {
    #expect { try store.events(after: cursor) } throws: { ($0 as? StoreError)?.code == .unknownCursor }
  }

  @Test("wakes a listener for what a meter does, though nothing else happens")
  func meterEvents() async throws {
    var changes = store.eventChanges().makeAsyncIterator()
    let ready = HostEvent.meterReady(HostEvent.MeterMoment(peripheral: 4000, meter: nil))
    try store.log(ready)
    await changes.next()
    #expect(try store.events(after: 1).events.map(\.event) == [ready])
  }

  @Test("gives a slow listener everything, in order")
  func slowListener() async throws {
    let store = store
    let count = 700
    let listening = Task {
      var cursors: [Int64] = []
      for try await element in try store.eventSequence(after: 0) {
        guard case .event(let event) = element else { throw CancellationError() }
        cursors.append(event.cursor)
        if cursors.count == count { break }
        await Task.yield()
      }
      return cursors
    }
    for _ in 1..<count {
      try store.transaction { db in try MeterStore.log(.sessionStarted(HostEvent.SessionStart(Fixture.user)), db) }
    }
    #expect(try await listening.value == Array(1...Int64(count)))
  }

  @Test("hears what comes while it waits, and ends when it is cancelled")
  func waits() async throws {
    let store = store
    let (heard, signal) = AsyncStream<Int64>.makeStream()
    let listening = Task {
      for try await element in try store.eventSequence() {
        if case .event(let event) = element { signal.yield(event.cursor) }
      }
      signal.finish()
    }
    var iterator = heard.makeAsyncIterator()
    // The listener may begin behind the first of them, but then hears a later one.
    let telling = Task {
      while !Task.isCancelled {
        try store.transaction { db in try MeterStore.log(.sessionStarted(HostEvent.SessionStart(Fixture.user)), db) }
        await Task.yield()
      }
    }
    #expect(await iterator.next() ?? 0 > 1)
    telling.cancel()
    listening.cancel()
    _ = try await listening.value
  }

  @Test("reads events of versions that did not name the image")
  func withoutImage() throws {
    let logID = Fixture.glucose(1).logID
    for members in [#""event":"record_image_submitted""#, #""event":"record_image_submission_failed","error":"413""#] {
      let text = #"{\#(members),"log_id":"\#(logID)","sink":"inform"}"#
      switch try JSONDecoder().decode(HostEvent.self, from: Data(text.utf8)) {
      case .recordImageSubmitted(let image): #expect(image.logID == logID && image.image == nil)
      case .recordImageSubmissionFailed(let image): #expect(image.logID == logID && image.image == nil)
      default: Issue.record("another event")
      }
    }
  }

  @Test("writes each event as one flat object that it reads again")
  func coding() throws {
    let logID = Fixture.glucose(1).logID
    let events: [HostEvent] = [
      .sessionStarted(HostEvent.SessionStart(Fixture.user)),
      .recordSubmitted(HostEvent.SubmittedRecord(logID: logID, revision: 2, sink: "inform", receiverID: nil)),
      .recordSubmissionFailed(
        HostEvent.RefusedRecord(logID: logID, revision: 1, sink: "inform", reason: "refused", error: "400")),
      .recordImageSubmitted(
        HostEvent.SubmittedImage(logID: logID, image: "0a", sink: "inform", mediaID: "m1", url: "/media/m1")),
      .recordImageSubmissionFailed(
        HostEvent.RefusedImage(
          logID: logID, image: "0a", contentType: "image/jpeg", sink: "inform", recordID: "r1", reason: "http-413",
          error: "HTTP 413")),
      .sessionEnded(
        HostEvent.SessionEnd(
          Fixture.user, unsynced: 2, recoveryFile: "/state/recovery/x.json", reason: .tokenRefused)),
    ]
    for event in events {
      let data = try JSONEncoder().encode(event)
      #expect(try JSONDecoder().decode(HostEvent.self, from: data) == event)
      let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
      #expect(object["event"] as? String == event.name)
      #expect(object.values.allSatisfy { !($0 is [String: Any]) })
    }
  }
}
