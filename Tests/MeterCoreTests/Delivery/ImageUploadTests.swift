import DeliverySupport
import Foundation
import HostPrimitives
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore
@testable import CurlHTTP
@testable import InformSink

/// Images over real sockets: after their records, apart from other records, once.
@Suite("Image upload", .timeLimit(.minutes(60)))
struct ImageUploadTests {
  let folder: TemporaryFolder
  let store: MeterStore
  let generation: SessionGeneration
  let clock = StoppedClock()

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
  }

  func uploader(_ server: ScriptedServer) throws -> DeliveryEngine {
    DeliveryEngine(
      store: store, endpoint: try ReceiverEndpoint(server.base), transport: CurlTransport(), clock: clock,
      jitter: { 1 })
  }

  func commit(_ sequences: ClosedRange<UInt64>, images: [RecordImage] = []) throws {
    let records = sequences.map { CommitRecord(record: Fixture.glucose($0), disposition: .pending) }
    let name = Fixture.glucose(sequences.lowerBound).logID
    _ = try store.commit([
      CommitUnit(
        generation: generation, records: records, images: images.map { CommitImage(logID: name, image: $0) })
    ])
  }

  /// Gives records and images ids, but for the images with these numbers, counted from 0.
  func server(_ replies: [Int: ScriptedServer.Reply] = [:]) throws -> ScriptedServer {
    try ScriptedServer { request, earlier in
      if request.method == "GET" { return .answer(200) }
      guard request.path.hasSuffix("/media") else { return .answer(201, body: #"{"data":{"id":"r/1"}}"#) }
      let number = earlier.filter { $0.path.hasSuffix("/media") }.count
      return replies[number] ?? .answer(201, body: ##"{"data":{"id":"m\##(number)","url":"/m/\##(number)"}}"##)
    }
  }

  func images(_ server: ScriptedServer) -> [ScriptedServer.Request] {
    server.posts.filter { $0.path.hasSuffix("/media") }
  }

  @Test("follow their record, with its id at the receiver, and are told with theirs")
  func follow() async throws {
    let server = try server()
    let uploader = try uploader(server)
    let events = await uploader.events()
    let pictures = [try Fixture.image(1), try RecordImage(Fixture.png)]
    try commit(1...1, images: pictures)
    let report = await uploader.drain()
    #expect(report.delivered == 1 && report.images == 2 && report.waitingImages == 0)
    #expect(server.posts.map(\.path).first == "/connect/provider/data/measurements")
    #expect(images(server).map(\.path) == Array(repeating: "/connect/provider/records/r%2F1/media", count: 2))
    #expect(images(server).map { $0.headers["content-type"] } == ["image/jpeg", "image/png"])
    #expect(images(server).map(\.body) == pictures.map(\.bytes))
    #expect(images(server).allSatisfy { $0.headers["authorization"] == "Bearer sesame-opens-0815" })
    var told: [DeliveryEvent] = []
    for await event in events {
      if case .recordImageSubmitted = event { told.append(event) }
      if told.count == 2 { break }
    }
    #expect(
      told[0]
        == .recordImageSubmitted(
          logID: Fixture.glucose(1).logID, image: pictures[0].checksum, mediaID: "m0", url: "\(server.base)/m/0",
          sink: MeterStore.defaultSink))
    #expect(try store.imageSnapshot().isEmpty)
  }

  @Test("are not sent while their record is refused or out of reach", arguments: [400, 500])
  func recordFirst(status: Int) async throws {
    let server = try ScriptedServer { request, _ in .answer(request.method == "GET" ? 200 : status) }
    try commit(1...1, images: [Fixture.image(1)])
    _ = await (try uploader(server)).drain()
    #expect(images(server).isEmpty)
    #expect(try store.imageSnapshot().map(\.state) == [.waiting])
  }

  @Test("that fail are repeated apart, while records go on")
  func apart() async throws {
    let server = try server([0: .answer(503), 1: .tear])
    let uploader = try uploader(server)
    try commit(1...1, images: [Fixture.image(1)])
    let first = await uploader.drain()
    #expect(first.delivered == 1 && first.waitingImages == 1 && first.nextTry == .seconds(2))
    let entry = try #require(try store.imageSnapshot().first)
    #expect(entry.state == .pending && entry.attempts == 1 && entry.lastError?.contains("503") == true)
    try commit(2...9)
    #expect(await uploader.drain().delivered == 8, "records do not wait for the image")
    clock.advance(by: .seconds(60))
    #expect(await uploader.drain().images == 0)
    clock.advance(by: .seconds(60))
    #expect(await uploader.drain().images == 1)
    #expect(try store.imageSnapshot().isEmpty && store.queueSnapshot().isEmpty)
    #expect(images(server).count == 3)
  }

  @Test("one that always fails lets the others pass")
  func poison() async throws {
    let server = try ScriptedServer { request, _ in
      if request.method == "GET" { return .answer(200) }
      guard request.path.hasSuffix("/media") else { return .answer(201, body: #"{"data":{"id":"r1"}}"#) }
      return .answer(request.body.last == 1 ? 500 : 201)
    }
    let uploader = try uploader(server)
    try commit(1...1, images: [Fixture.image(1), Fixture.image(2), Fixture.image(3)])
    var report = await uploader.drain()
    clock.advance(by: .seconds(10))
    report.add(await uploader.drain())
    #expect(report.images == 2)
    #expect(try store.imageSnapshot().map(\.checksum) == [try Fixture.image(1).checksum])
  }

  @Test("that are refused for good are put aside with the reason", arguments: [400, 404, 413, 415, 422])
  func dead(status: Int) async throws {
    let server = try server([0: .answer(status, body: #"{"errors":["no"]}"#)])
    let uploader = try uploader(server)
    let events = await uploader.events()
    try commit(1...1, images: [Fixture.image(1)])
    let report = await uploader.drain()
    #expect(report.delivered == 1 && report.deadImages == 1 && report.waitingImages == 0)
    let entry = try #require(try store.imageSnapshot().first)
    #expect(entry.state == .dead && entry.reason == "http-\(status)" && entry.lastError?.contains("no") == true)
    for await case .recordImageSubmissionFailed(let logID, let image, let reason, _) in events {
      #expect(try logID == Fixture.glucose(1).logID && image == Fixture.image(1).checksum && reason.contains("no"))
      break
    }
    #expect(try store.resubmitAll(reason: "http-499").isEmpty)
    #expect(try store.resubmitAll(reason: "http-\(status)") == [entry.logID])
    #expect(await uploader.drain().images == 1)
  }

  @Test("that are refused without a word about them are tried again", arguments: [403, 405, 407, 410])
  func refusedForNow(status: Int) async throws {
    let server = try server([0: .answer(status, body: #"{"message":"no"}"#)])
    let uploader = try uploader(server)
    try commit(1...1, images: [Fixture.image(1)])
    let report = await uploader.drain()
    #expect(report.delivered == 1 && report.deadImages == 0 && report.waitingImages == 1)
    let entry = try #require(try store.imageSnapshot().first)
    #expect(entry.state == .pending && entry.attempts == 1 && entry.lastError?.hasPrefix("HTTP \(status) ") == true)
    clock.advance(by: .seconds(2))
    #expect(await uploader.drain().images == 1)
  }

  @Test("stand in the event log by their names", arguments: [201, 400])
  func eventLog(status: Int) async throws {
    let server = try server([0: .answer(status)])
    try commit(1...1, images: [Fixture.image(1)])
    _ = await (try uploader(server)).drain()
    let told = try #require(try store.events(after: 0).events.map(\.event).last)
    let name = status == 201 ? "record_image_submitted" : "record_image_submission_failed"
    let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(told)) as? [String: Any]
    #expect(object?["event"] as? String == name)
    #expect(try object?["image"] as? String == Fixture.image(1).checksum)
  }

  @Test("end the session on 401, and are kept")
  func unauthorized() async throws {
    let server = try server([0: .answer(401)])
    let uploader = try uploader(server)
    let events = await uploader.events()
    try commit(1...1, images: [Fixture.image(1)])
    #expect(await uploader.drain().sessionEnded)
    for await case .sessionEnded(let ended) in events {
      #expect(ended.unsynced == 0 && ended.unsyncedImages == 1 && ended.recoveryFile != nil)
      break
    }
  }

  @Test("go by themselves in the background, after a wait too")
  func background() async throws {
    let server = try server([0: .answer(500)])
    let uploader = try uploader(server)
    let events = await uploader.events()
    let task = Task { await uploader.run() }
    try commit(1...1, images: [Fixture.image(1)])
    for await event in events {
      if case .imageRetrying = event { clock.advance(by: .seconds(4)) }
      if case .recordImageSubmitted = event { break }
    }
    #expect(try store.imageSnapshot().isEmpty)
    task.cancel()
    await task.value
  }
}
