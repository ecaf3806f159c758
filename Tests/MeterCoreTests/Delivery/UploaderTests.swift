import DeliverySupport
import Foundation
import GRDB
import HostPrimitives
import RecordSupport
import Synchronization
import TestSupport
import Testing

@testable import MeterCore

/// The uploader with libcurl against a server on a real socket.
@Suite("DeliveryEngine", .timeLimit(.minutes(60)))
struct UploaderTests: UploadingTests {
  let folder: TemporaryFolder
  let store: MeterStore
  let generation: SessionGeneration
  let clock = StoppedClock()

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
  }

  struct Sent: Decodable, Hashable {
    let log_id: String
    let revision: Int
  }

  func sent(_ server: ScriptedServer) throws -> [Sent] {
    try server.posts.map { try JSONDecoder().decode(Sent.self, from: Data($0.body)) }
  }

  /// Accepts everything but the posts with these numbers, counted from 0.
  func server(_ replies: [Int: ScriptedServer.Reply]) throws -> ScriptedServer {
    try ScriptedServer { request, earlier in
      guard request.method == "POST" else { return .answer(200) }
      let number = earlier.filter { $0.method == "POST" }.count
      return replies[number] ?? .answer(201, body: #"{"id":"r\#(number)"}"#)
    }
  }

  @Test("delivers each reading once, with the token, over few connections")
  func once() async throws {
    let server = try server([:])
    let uploader = try uploader(server, concurrency: 3)
    try commit(1...20)
    let report = await uploader.drain()
    #expect(report == DrainReport(delivered: 20, dead: 0, waiting: 0, nextTry: nil, sessionEnded: false))
    #expect(Set(try sent(server)).count == 20)
    #expect(server.posts.count == 20)
    #expect(server.requests.first?.path == "/connect/provider/user")
    #expect(server.requests.allSatisfy { $0.headers["authorization"] == "Bearer sesame-opens-0815" })
    #expect(server.posts.allSatisfy { $0.path == "/connect/provider/data/measurements" })
    #expect(Set(server.requests.map(\.connection)).count <= 4, "connections are reused")
    #expect(try store.currentSession().isValidated)
    #expect(try store.queueSnapshot().isEmpty)
    // A meter that resends everything causes nothing.
    try commit(1...20)
    #expect(await uploader.drain().delivered == 0)
    #expect(server.posts.count == 20)
  }

  @Test("waits for a person and for no time while it is paused, whatever waits had been set before")
  func pausedWithoutTimer() async throws {
    let server = try server([0: .answer(500)])
    let uploader = try uploader(server)
    try commit(1...1)
    let wait = try #require(await uploader.drain().nextTry)
    try store.setPaused(true)
    clock.advance(by: wait + .seconds(1))
    #expect(await uploader.drain().nextTry == nil)
    try store.setPaused(false)
    #expect(await uploader.drain().delivered == 1)
  }

  @Test("gives the disk back what a backlog has left, and keeps room for the next readings")
  func space() async throws {
    let server = try server([:])
    let uploader = try uploader(server)
    try commit(1...3)
    func makeFree() throws {
      try store.database.write { db in
        try db.execute(sql: "CREATE TABLE backlog (content BLOB)")
        try db.execute(sql: "INSERT INTO backlog VALUES (zeroblob(12000000))")
        try db.execute(sql: "DROP TABLE backlog")
      }
    }
    func free() throws -> Int {
      try store.reading { db in try Int.fetchOne(db, sql: "PRAGMA freelist_count") ?? -1 }
    }
    try makeFree()
    #expect(try free() > 2_500)
    for _ in 0..<2 {
      _ = await uploader.drain()
      #expect(try free() == 1_000)
    }
  }

  @Test("sends late context as the next revision")
  func revision() async throws {
    let server = try server([:])
    let uploader = try uploader(server)
    try commit(1...1)
    _ = await uploader.drain()
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1, context: [Fixture.beforeMeal])])])
    _ = await uploader.drain()
    let name = Fixture.glucose(1).logID
    #expect(try sent(server) == [1, 2].map { Sent(log_id: name.description, revision: $0) })
    #expect(try store.queueEntry(name).first?.receiverID == "r1")
  }

  @Test("repeats under the same name when the answer is lost", arguments: [ScriptedServer.Reply.drop, .tear])
  func lostAnswer(reply: ScriptedServer.Reply) async throws {
    // Twice: libcurl itself repeats a request once when a reused connection closes without a byte.
    let server = try server([0: reply, 1: reply])
    let uploader = try uploader(server)
    try commit(1...1)
    let first = await uploader.drain()
    #expect(first.delivered == 0 && first.waiting == 1)
    #expect(first.nextTry == .seconds(2))
    let entry = try #require(try store.queueSnapshot().first)
    #expect(entry.state == .pending)
    #expect(entry.attempts == 1)
    #expect(entry.lastError?.isEmpty == false)
    let posts = server.posts.count
    #expect(await uploader.drain().waiting == 1, "it waits")
    #expect(server.posts.count == posts)
    for _ in 0..<3 {
      clock.advance(by: .seconds(60))
      _ = await uploader.drain()
    }
    #expect(try store.queueSnapshot().isEmpty)
    let names = try sent(server)
    #expect(names.count == 3 && Set(names).count == 1)
  }

  @Test("waits as long as Retry-After says, with everything")
  func retryAfter() async throws {
    let server = try server([0: .answer(503, headers: ["Retry-After": "90"])])
    let uploader = try uploader(server)
    try commit(1...3)
    let first = await uploader.drain()
    #expect(first.waiting == 3)
    #expect(first.nextTry == .seconds(92), "named wait and one base of jitter")
    clock.advance(by: .seconds(91))
    #expect(await uploader.drain().delivered == 0)
    #expect(server.posts.count == 1)
    clock.advance(by: .seconds(1))
    #expect(await uploader.drain().delivered == 3)
  }

  @Test("lets the others pass a reading that always fails")
  func poison() async throws {
    let poison = Fixture.glucose(1).logID.description
    let server = try ScriptedServer { request, _ in
      String(decoding: request.body, as: UTF8.self).contains(poison) ? .answer(500) : .answer(201)
    }
    let uploader = try uploader(server)
    try commit(1...5)
    _ = await uploader.drain()
    clock.advance(by: .seconds(10))
    let report = await uploader.drain()
    #expect(report.waiting == 1)
    #expect(try store.queueSnapshot().map(\.logID.description) == [poison])
  }

  @Test("puts aside what is refused for good, with the receiver's reason", arguments: [400, 404, 409, 413, 422])
  func dead(status: Int) async throws {
    let server = try server([0: .answer(status, body: #"{"errors":["bad \u0076alue"],"record":{"value":93}}"#)])
    let uploader = try uploader(server)
    let events = await uploader.events()
    try commit(1...2)
    let report = await uploader.drain()
    #expect(report.delivered == 1 && report.dead == 1 && report.waiting == 0)
    let entry = try #require(try store.queueSnapshot().first)
    #expect(entry.state == .dead && entry.reason == "http-\(status)")
    #expect(entry.lastError == "HTTP \(status) bad value", "the reason, decoded, and nothing of what was sent")
    #expect(server.posts.count == 2, "nothing is sent again")
    var seen: [DeliveryEvent] = []
    for await event in events {
      seen.append(event)
      if seen.count == 3 { break }
    }
    try #require(seen.count == 3, "\(seen)")
    #expect(seen[0] == .sessionValidated(Fixture.user))
    guard case .recordSubmissionFailed = seen[1] else {
      Issue.record("\(seen[1])")
      return
    }
    #expect(
      seen[2]
        == .recordSubmitted(
          logID: Fixture.glucose(2).logID, revision: 1, receiverID: "r1", sink: MeterStore.defaultSink))
  }

  @Test(
    "tries again what an answer refuses without a word about the reading, and shows it",
    arguments: [402, 403, 405, 406, 407, 410, 411, 418, 421, 426, 428, 431, 451])
  func refusedForNow(status: Int) async throws {
    let server = try server([0: .answer(status, body: #"{"message":"not now"}"#)])
    let uploader = try uploader(server)
    let events = await uploader.events()
    try commit(1...1)
    let report = await uploader.drain()
    #expect(report.waiting == 1 && report.dead == 0 && report.nextTry == .seconds(2))
    let entry = try #require(try store.queueSnapshot().first)
    let text = "HTTP \(status) not now"
    #expect(entry.state == .pending && entry.attempts == 1 && entry.lastError == text)
    #expect(entry.nextTryMicroseconds != nil)
    for await case .retrying(let logID, let wait, let error, _) in events {
      #expect(logID == Fixture.glucose(1).logID && wait == .seconds(2) && error == text)
      break
    }
    clock.advance(by: .seconds(2))
    #expect(await uploader.drain().delivered == 1)
  }

  @Test("ends the session on 401 and keeps the readings", arguments: [true, false])
  func unauthorized(atValidation: Bool) async throws {
    let server = try ScriptedServer { request, _ in
      .answer(atValidation || request.method == "POST" ? 401 : 200)
    }
    let uploader = try uploader(server)
    let events = await uploader.events()
    try commit(1...3)
    let report = await uploader.drain()
    #expect(report.sessionEnded)
    #expect(server.posts.count == (atValidation ? 0 : 1))
    #expect(try store.currentSession().user == nil)
    for await event in events {
      guard case .sessionEnded(let ended) = event else { continue }
      #expect(ended.user == Fixture.user)
      #expect(ended.unsynced == 3)
      let file = try #require(ended.recoveryFile)
      #expect(FileManager.default.fileExists(atPath: file.path))
      break
    }
  }

  @Test("starts unvalidated with the receiver out of reach, and validates later")
  func outOfReach() async throws {
    let server = try server([:])
    server.stop()
    let uploader = try uploader(server)
    try commit(1...1)
    let report = await uploader.drain()
    #expect(report.waiting == 1 && report.nextTry == .seconds(2))
    #expect(try store.currentSession() == Session(user: Fixture.user, generation: generation, isValidated: false))
  }

  @Test("delivers by itself after a commit and after a wait")
  func background() async throws {
    let server = try server([0: .answer(500)])
    let uploader = try uploader(server)
    let events = await uploader.events()
    let task = Task { await uploader.run() }
    defer { task.cancel() }
    try commit(1...1)
    for await event in events {
      if case .retrying = event { clock.advance(by: .seconds(4)) }
      if case .recordSubmitted = event { break }
    }
    #expect(try store.queueSnapshot().isEmpty)
    try commit(2...2)
    for await event in events { if case .recordSubmitted = event { break } }
    #expect(server.posts.count == 3)
    task.cancel()
    await task.value
  }

  @Test(
    "tries again when the clock has reached the end of a wait, neither before nor after it", arguments: [false, true])
  func waitsByItsClock(media: Bool) async throws {
    let attempts = Mutex<[HostInstant]>([])
    let server = try ScriptedServer { [clock] request, _ in
      guard request.method == "POST" else { return .answer(200) }
      let accepted = ScriptedServer.Reply.answer(201, body: #"{"data":{"id":"r1"}}"#)
      guard request.path.hasSuffix("/media") == media else { return accepted }
      let attempt = attempts.withLock { attempts in
        attempts.append(clock.now)
        return attempts.count
      }
      return attempt < 9 ? .answer(500) : accepted
    }
    let uploader = try uploader(server)
    let events = await uploader.events()
    let unit = Fixture.unit(generation, [Fixture.glucose(1)])
    let image = CommitImage(logID: Fixture.glucose(1).logID, image: try Fixture.image(1))
    _ = try store.commit([
      CommitUnit(
        generation: unit.generation, meter: unit.meter, family: unit.family, records: unit.records,
        images: media ? [image] : [])
    ])
    let running = Task { await uploader.run() }
    let time = Task { [clock] in while !Task.isCancelled { await clock.advanceToNextDeadline() } }
    for await event in events {
      if case .recordSubmitted = event, !media { break }
      if case .recordImageSubmitted = event { break }
    }
    let moments = attempts.withLock { $0 }
    #expect(zip(moments, moments.dropFirst()).map { $1 - $0 } == [2, 4, 8, 16, 32, 64, 128, 256].map { .seconds($0) })
    time.cancel()
    running.cancel()
    await running.value
    await time.value
  }
}
