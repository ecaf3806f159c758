import DeliverySupport
import Foundation
import HostPrimitives
import RecordSupport
import Synchronization
import TestSupport
import Testing

@testable import MeterCore
@testable import CurlHTTP
@testable import InformSink

/// Refusals that no receiver has spoken: of a proxy that is restarted, a gateway of the cloud, a network's login page. None of
/// them puts a reading aside, ends a session, or lets a token pass.
@Suite("Foreign refusals", .timeLimit(.minutes(60)))
struct ForeignRefusalTests: UploadingTests {
  let folder: TemporaryFolder
  let store: MeterStore
  let generation: SessionGeneration
  let clock = StoppedClock()

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
  }

  @Test(
    "a backlog outlives a proxy without its receiver",
    arguments: [
      .answer(404, headers: ["Content-Type": "text/plain"], body: "404 page not found\n"),
      .answer(404, body: #"{"message":"no Route matched with those values"}"#),
      .answer(404, body: #"{"status":404,"error":"Not Found","errors":[]}"#), .answer(404, body: "{}"),
      .answer(410, body: ""), .answer(401, body: #"{"message":"Unauthorized"}"#),
      .answer(401, body: #"{"status":401,"error":"Unauthorized"}"#), .answer(400, body: #"{"message":"Bad Request"}"#),
      .answer(409, body: "{}"), .answer(413, body: #"{"message":"Request Too Long"}"#),
      .answer(422, body: #"{"errors":["no"],"errors":["yes"]}"#), .answer(422, body: #"{"errors":null,"detail":"no"}"#),
      .answer(401, headers: ["WWW-Authenticate": "Basic"], body: "<html>login</html>"),
      .answer(413, body: "<html>413 Request Entity Too Large</html>"), .answer(400, body: "Bad Request"),
    ] as [ScriptedServer.Reply])
  func backlog(reply: ScriptedServer.Reply) async throws {
    let isUp = Mutex(false)
    let server = try ScriptedServer { request, _ in
      request.method == "GET" ? .answer(200) : isUp.withLock { $0 } ? .answer(201, body: #"{"id":"1"}"#) : reply
    }
    let uploader = try uploader(server, concurrency: 4)
    try commit(1...200)
    for _ in 0..<5 {
      let report = await uploader.drain()
      #expect(report.dead == 0 && report.waiting == 200 && !report.sessionEnded)
      clock.advance(by: .seconds(300))
    }
    #expect(server.posts.count == 20, "everything waits, so that nobody is asked 200 times")
    let waits = try store.queueSnapshot().compactMap(\.lastError)
    #expect(!waits.isEmpty && waits.allSatisfy { $0.contains("HTTP 4") })
    isUp.withLock { $0 = true }
    #expect(await uploader.drain().delivered == 200)
    #expect(try store.currentSession().user == Fixture.user)
  }

  @Test("a reading that a proxy never lets through waits by itself, and what comes later is sent at once")
  func lonely() async throws {
    let large = Fixture.glucose(1).logID.description
    let server = try ScriptedServer { request, _ in
      String(decoding: request.body, as: UTF8.self).contains(large)
        ? .answer(413, body: "<html>413</html>") : .answer(request.method == "GET" ? 200 : 201)
    }
    let uploader = try uploader(server, concurrency: 4)
    try commit(1...2)
    #expect(await uploader.drain().delivered == 1)
    for sequence in UInt64(3)...9 {
      clock.advance(by: .seconds(300))
      _ = await uploader.drain()
      // The large one has just failed alone.
      try commit(sequence...sequence)
      let report = await uploader.drain()
      #expect(report.delivered == 1 && report.waiting == 1 && report.dead == 0, "\(sequence)")
    }
    let entry = try #require(try store.queueSnapshot().first)
    #expect(entry.state == .pending && entry.lastError?.contains("HTTP 413") == true)
  }

  @Test("the same holds for an image", arguments: [404, 413, 415, 422])
  func image(status: Int) async throws {
    let server = try ScriptedServer { request, _ in
      if request.method == "GET" { return .answer(200) }
      guard request.path.hasSuffix("/media") else { return .answer(200, body: #"{"data":{"id":"r1"}}"#) }
      return request.body.last == 1 ? .answer(status, body: "<html>no</html>") : .answer(201)
    }
    let uploader = try uploader(server, concurrency: 4)
    func commit(_ sequence: UInt64, _ images: [RecordImage]) throws {
      let record = Fixture.glucose(sequence)
      _ = try store.commit([
        CommitUnit(
          generation: generation, records: [CommitRecord(record: record, disposition: .pending)],
          images: images.map { CommitImage(logID: record.logID, image: $0) })
      ])
    }
    try commit(1, [try Fixture.image(1)])
    #expect(await uploader.drain().waitingImages == 1)
    for sequence in UInt64(2)...5 {
      clock.advance(by: .seconds(300))
      _ = await uploader.drain()
      try commit(sequence, [try Fixture.image(UInt8(sequence))])
      let report = await uploader.drain()
      #expect(report.images == 1 && report.deadImages == 0 && report.waitingImages == 1, "\(sequence)")
    }
  }

  @Test("whose token it is is asked until the receiver itself answers", arguments: [400, 403, 404, 405, 501])
  func validation(status: Int) async throws {
    let server = try ScriptedServer { request, earlier in
      if request.method == "POST" { return .answer(201) }
      return earlier.isEmpty
        ? .answer(status, body: "<html>no</html>") : .answer(200, body: #"{"data":{"uid":"grace"}}"#)
    }
    let uploader = try uploader(server, concurrency: 4)
    try commit(1...1)
    #expect(await uploader.drain().waiting == 1)
    #expect(server.posts.isEmpty)
    clock.advance(by: .seconds(2))
    #expect(await uploader.drain().sessionEnded, "it is somebody else's")
    #expect(server.posts.isEmpty)
  }

  @Test("an answer that names another record is none to this one", arguments: WireFormat.allCases)
  func anotherRecord(format: WireFormat) async throws {
    let (own, other) = (Fixture.glucose(1), Fixture.glucose(2))
    @Sendable func body(_ name: String) -> String {
      format == .informV2
        ? #"{"data":{"id":"r","log_id":\#(name)}}"# : #"{"diabetes":{"_id":"r","activity_id":\#(name)}}"#
    }
    let names = ["\"\(other.logID)\"", "7", "\"\"", "\"\(own.logID.description.uppercased())\""]
    let server = try ScriptedServer { request, earlier in
      request.method == "GET" ? .answer(200) : .answer(201, body: body(names[min(earlier.count - 1, 3)]))
    }
    let uploader = DeliveryEngine(
      store: store, endpoint: try ReceiverEndpoint(server.base), format: format, transport: CurlTransport(),
      clock: clock, jitter: { 1 })
    try commit(1...1)
    for _ in 0..<3 {
      #expect(await uploader.drain().waiting == 1)
      clock.advance(by: .seconds(60))
    }
    #expect(await uploader.drain().delivered == 1)
  }

  @Test("ids that are numbers are ids", arguments: WireFormat.allCases)
  func numberedIDs(format: WireFormat) async throws {
    let server = try ScriptedServer { request, _ in
      request.method == "GET"
        ? .answer(200) : .answer(201, body: #"{"id":9007199254740993,"diabetes":{"_id":9007199254740993,"n":[1]}}"#)
    }
    let uploader = DeliveryEngine(
      store: store, endpoint: try ReceiverEndpoint(server.base), format: format, transport: CurlTransport(),
      clock: clock)
    try commit(1...1)
    #expect(await uploader.drain().delivered == 1)
    #expect(try store.queueEntry(Fixture.glucose(1).logID).first?.receiverID == "9007199254740993")
  }
}
