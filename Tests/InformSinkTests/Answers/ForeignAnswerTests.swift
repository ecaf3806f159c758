import DeliverySupport
import Foundation
import HostPrimitives
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore
@testable import CurlHTTP
@testable import InformSink

/// Answers that no receiver gave: a login page, a proxy's own, half an answer. None of them is a success of anything.
@Suite("Foreign answers", .timeLimit(.minutes(60)))
struct ForeignAnswerTests {
  static let foreign: [ScriptedServer.Reply] = [
    .answer(200, headers: ["Content-Type": "text/html"], body: "<html>login</html>"),
    .answer(200, headers: ["Content-Type": "application/json"], body: "<html>login</html>"),
    .answer(200, body: ""), .answer(201, body: " \n"), .answer(201, body: "[]"), .answer(200, body: #""ok""#),
    .answer(201, body: #"{"data":{"id":"1"}"#), .answer(200, body: "{} <html>"), .answer(205, body: ""),
    .answer(302, headers: ["Location": "https://login.example/"], body: ""),
    .answer(511, headers: ["Content-Type": "text/html"], body: "<html>login</html>"),
    .answer(404, headers: ["Content-Type": "text/plain"], body: "404 page not found\n"),
    .answer(400, body: "<html>Bad Request</html>"), .answer(401, body: "<html>login</html>"), .answer(401, body: ""),
    .answer(409, body: "[]"), .answer(410, body: ""), .answer(413, body: "<html>Too Large</html>"),
    .answer(422, body: "no"), .answer(200, body: #"{"errors":["no"]}"#), .answer(200, body: #"{"error":"login"}"#),
    // A part, several answers, an answer that something has changed.
    .answer(206, headers: ["Content-Range": "bytes 0-9/99"], body: #"{"id":"1"}"#), .answer(203, body: #"{"id":"1"}"#),
    .answer(207, body: #"{"results":[{"status":422,"errors":{"a":["b"]}}]}"#), .answer(226), .answer(299),
    // A success that is none.
    .answer(200, body: #"{"data":{"id":"1"},"success":false}"#), .answer(200, body: #"{"id":"1","ok":0}"#),
    .answer(200, body: #"{"id":"1","status":"error"}"#), .answer(200, body: #"{"data":{"id":"1"},"status":"Failed"}"#),
    .answer(200, body: #"{"id":"1","status":503}"#), .answer(200, body: #"{"id":"1","Status":"503 Unavailable"}"#),
    .answer(200, body: #"{"code":500,"data":{}}"#), .answer(200, body: #"{"id":"1","fault":{"faultstring":"x"}}"#),
    .answer(200, body: #"{"id":"1","Errors":["bad"]}"#), .answer(200, body: #"{"id":"1","errorMessage":"x"}"#),
    .answer(200, body: #"{"data":{"id":"1","errors":["bad"]}}"#),
    .answer(200, body: #"{"data":[{"id":"1","status":422}]}"#),
    // One that two readers read as two.
    .answer(200, body: #"{"errors":[],"errors":["bad"]}"#), .answer(200, body: #"{"err\u006frs":["bad"],"errors":[]}"#),
    // Objects of something else.
    .answer(200, body: #"{"captive":true,"user-portal-url":"https://login.example"}"#),
    .answer(200, body: #"{"message":"Internal server error"}"#), .answer(200, body: #"{"data":null,"message":"x"}"#),
  ]
  static let own: [ScriptedServer.Reply] = [
    .answer(200, headers: ["Content-Type": "text/plain"], body: " {}\n"), .answer(201, body: #"{"id":"1"}"#),
    .answer(202), .raw("HTTP/1.1 204 No Content\r\n\r\n"), .answer(201, body: "\u{FEFF}{}"),
    .answer(201, body: #"{"data":{"id":"1"},"errors":[],"error":null}"#),
    .answer(200, body: #"{"data":{"id":"1","outcome":"unchanged","status":"active"},"error_count":0.0}"#),
    .answer(201, body: #"{"code":201,"message":"Ok"}"#), .answer(200, body: #"{"success":true,"message":"stored"}"#),
    .answer(200, body: #"{"status":"OK"}"#), .answer(200, body: #"{"status":200}"#),
    .answer(201, body: #"{"status":"201"}"#), .answer(200, body: #"{"status":"200 OK"}"#),
    .answer(200, body: #"{"success":1}"#), .answer(200, body: #"{"ok":"true"}"#),
    .answer(200, body: #"{"received":true}"#),
    // Members of a record that is echoed, and of what else there is to tell, are no verdicts.
    .answer(201, body: #"{"data":{"id":"9","result":412}}"#), .answer(201, body: #"{"id":"9","result":412}"#),
    .answer(201, body: #"{"data":{"id":1,"code":2339,"state":"canceled","active":false}}"#),
    .answer(201, body: #"{"data":{"id":"1","source":{"code":500,"state":"error"},"metrics":[{"status":404}]}}"#),
    .answer(200, body: #"{"id":"1","devices":[{"id":1,"active":false,"status":"error"}]}"#),
  ]

  let folder: TemporaryFolder
  let store: MeterStore
  let generation: SessionGeneration
  let clock = StoppedClock()

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
  }

  func uploader(_ server: ScriptedServer, _ format: WireFormat = .informV2) throws -> DeliveryEngine {
    return DeliveryEngine(
      store: store, endpoint: try ReceiverEndpoint(server.base), format: format, transport: CurlTransport(),
      clock: clock, jitter: { 1 })
  }

  func commit(images: [RecordImage] = []) throws {
    let record = Fixture.glucose(1)
    _ = try store.commit([
      CommitUnit(
        generation: generation, records: [CommitRecord(record: record, disposition: .pending)],
        images: images.map { CommitImage(logID: record.logID, image: $0) })
    ])
  }

  @Test("a reading waits until a receiver answers", arguments: foreign, WireFormat.allCases)
  func record(reply: ScriptedServer.Reply, format: WireFormat) async throws {
    let server = try ScriptedServer { request, earlier in
      if request.method == "GET" { return .answer(200) }
      return earlier.contains { $0.method == "POST" } ? .answer(201, body: #"{"id":"r1"}"#) : reply
    }
    let uploader = try uploader(server, format)
    try commit()
    let report = await uploader.drain()
    #expect(report.delivered == 0 && report.dead == 0 && report.waiting == 1 && report.nextTry == .seconds(2))
    let entry = try #require(try store.queueSnapshot().first)
    #expect(entry.state == .pending && entry.record == Fixture.glucose(1))
    #expect(entry.lastError?.isEmpty == false)
    clock.advance(by: .seconds(2))
    #expect(await uploader.drain().delivered == 1)
    #expect(try store.queueSnapshot().isEmpty)
  }

  @Test("a reading is delivered by an object of whatever content type, and by 204", arguments: own)
  func accepted(reply: ScriptedServer.Reply) async throws {
    let server = try ScriptedServer { _, _ in reply }
    let uploader = try uploader(server)
    try commit()
    #expect(await uploader.drain().delivered == 1)
    #expect(try store.currentSession().isValidated)
  }

  @Test("no token is validated, and nothing is sent with it", arguments: foreign)
  func validation(reply: ScriptedServer.Reply) async throws {
    let server = try ScriptedServer { request, earlier in
      earlier.count < 2 ? reply : .answer(request.method == "GET" ? 200 : 201)
    }
    let endpoint = try ReceiverEndpoint(server.base)
    let verdict = await endpoint.verdict(on: Fixture.token, of: Fixture.user, transport: CurlTransport())
    guard case .unknown = verdict else {
      Issue.record("\(verdict)")
      return
    }
    let uploader = try uploader(server)
    try commit()
    #expect(await uploader.drain().waiting == 1)
    #expect(server.posts.isEmpty)
    #expect(try !store.currentSession().isValidated)
    clock.advance(by: .seconds(2))
    #expect(await uploader.drain().delivered == 1)
    #expect(try store.currentSession().isValidated)
  }

  @Test("an image waits until a receiver answers", arguments: foreign)
  func image(reply: ScriptedServer.Reply) async throws {
    let server = try ScriptedServer { request, earlier in
      guard request.path.hasSuffix("/media") else { return .answer(200, body: #"{"data":{"id":"r1"}}"#) }
      return earlier.contains { $0.path.hasSuffix("/media") } ? .answer(201) : reply
    }
    let uploader = try uploader(server)
    try commit(images: [try Fixture.image(1)])
    let report = await uploader.drain()
    #expect(report.delivered == 1 && report.images == 0 && report.waitingImages == 1)
    #expect(try store.imageSnapshot().first?.state == .pending)
    clock.advance(by: .seconds(2))
    #expect(await uploader.drain().images == 1)
  }

  @Test("calls to a receiver say that none has answered", arguments: WireFormat.allCases)
  func client(format: WireFormat) async throws {
    let server = try ScriptedServer { _, _ in .answer(200, body: "<html>login</html>") }
    let client = ReceiverClient(
      endpoint: try ReceiverEndpoint(server.base), format: format, user: Fixture.user, token: Fixture.token,
      transport: CurlTransport())
    let record = Fixture.glucose(1)
    let image = try Fixture.image(1)
    for call in Call.allCases {
      do {
        switch call {
        case .create: _ = try await client.create(record)
        case .createMany: _ = try await client.create([record])
        case .update: _ = try await client.update(record, recordID: "1")
        case .upsert: _ = try await client.upsert(record)
        case .delete: try await client.delete(.diabetes, recordID: "1")
        case .upload: _ = try await client.upload(image, toRecord: "1")
        }
        Issue.record("\(call): a login page was taken for a receiver")
      } catch {
        #expect(error.code == .transport && error.transportError?.code == .foreignAnswer, "\(call): \(error)")
      }
    }
  }

  enum Call: CaseIterable { case create, createMany, update, upsert, delete, upload }
}
