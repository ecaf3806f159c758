import DeliverySupport
import Foundation
import HostPrimitives
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore
@testable import CurlHTTP
@testable import InformSink

/// Answers of a receiver that are those to another request, as a proxy gives them that mixes them up. Each would delete, or put aside, a
/// reading that nobody has judged.
@Suite("Mixed answers", .timeLimit(.minutes(60)))
struct MixedAnswerTests: UploadingTests {
  static let own = Fixture.glucose(1).logID.description
  static let other = Fixture.glucose(2).logID.description

  let folder: TemporaryFolder
  let store: MeterStore
  let generation: SessionGeneration
  let clock = StoppedClock()

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    generation = try store.startSession(Fixture.user, token: Fixture.token, isValidated: true).session.generation
  }

  /// In Legacy the name is `activity_id`, and the record stands under its type's name.
  private static func body(_ text: String, _ format: WireFormat) -> String {
    let body = text.replacing("OWN", with: own).replacing("OTHER", with: other)
      .replacing("LOG_ID", with: format == .informV2 ? "LOG_ID" : "activityId")
    return format == .informV2
      ? body : body.replacing("log_id", with: "activity_id").replacing(#""data""#, with: #""diabetes""#)
  }

  private func uploader(_ server: ScriptedServer, _ format: WireFormat) throws -> DeliveryEngine {
    return DeliveryEngine(
      store: store, endpoint: try ReceiverEndpoint(server.base), format: format, transport: CurlTransport(),
      clock: clock, jitter: { 1 })
  }

  @Test(
    "that name another reading neither delete this one nor put it aside",
    arguments: [
      (201, #"{"id":"1","log_id":"OTHER"}"#), (201, #"{"data":[{"log_id":"OTHER"}]}"#),
      (201, #"{"data":[{"log_id":"OWN"},{"log_id":"OTHER"}]}"#), (201, #"{"data":{"log_id":"OWN"},"log_id":"OTHER"}"#),
      (201, #"{"data":{"log_id":"OWN","log_id":"OTHER"}}"#), (201, #"{"data":{"log_id":"OTHER","log_id":"OWN"}}"#),
      (201, #"{"data":{"log_id":"OWN"},"data":{"log_id":"OTHER"}}"#),
      (201, #"{"data":{"id":"1","attributes":{"log_id":"OTHER"}}}"#),
      (200, #"{"records":[{"log_id":"OTHER"}],"id":1}"#),
      (201, #"{"id":"1","LOG_ID":"OTHER"}"#), (202, #"{"id":"1","log_id":5}"#), (201, #"{"id":"1","log_id":{}}"#),
      (201, #"{"id":"1","log_id":"OWN\u0000"}"#), (409, #"{"errors":["x"],"data":{"log_id":"OTHER"}}"#),
      (422, #"{"errors":["x"],"log_id":"OTHER"}"#), (400, #"{"errors":["x"],"data":[{"log_id":"OTHER"}]}"#),
      (401, #"{"errors":["x"],"log_id":"OTHER"}"#),
    ], WireFormat.allCases)
  func anotherRecord(answer: (status: Int, body: String), format: WireFormat) async throws {
    let server = try ScriptedServer { _, earlier in
      earlier.isEmpty ? .answer(answer.status, body: Self.body(answer.body, format)) : .answer(201)
    }
    let uploader = try uploader(server, format)
    try commit(1...1)
    let report = await uploader.drain()
    #expect(report.waiting == 1 && report.dead == 0 && !report.sessionEnded)
    #expect(try store.queueSnapshot().first?.lastError?.hasPrefix("foreign_answer") == true)
    clock.advance(by: .seconds(2))
    #expect(await uploader.drain().delivered == 1)
  }

  @Test(
    "are not those that name this one, or another one as the reason",
    arguments: [
      (201, #"{"id":"1","log_id":"OWN"}"#), (201, #"{"data":[{"log_id":"OWN"}],"log_id":null}"#),
      (200, #"{"data":{"log_id":"OWN","id":"1"},"id":"1"}"#), (409, #"{"errors":{"log_id":["belongs to OTHER"]}}"#),
      (409, #"{"errors":["x"],"conflict":{"log_id":"OTHER"}}"#), (422, #"{"errors":[{"log_id":"OTHER"}]}"#),
      (422, #"{"errors":["x"],"fields":{"log_id":["has been taken"]}}"#),
      (422, #"{"errors":["x"],"details":{"log_id":"is not valid"}}"#),
    ], WireFormat.allCases)
  func ownRecord(answer: (status: Int, body: String), format: WireFormat) async throws {
    let server = try ScriptedServer { _, _ in .answer(answer.status, body: Self.body(answer.body, format)) }
    let uploader = try uploader(server, format)
    try commit(1...1)
    let report = await uploader.drain()
    #expect(report.delivered == (answer.status < 300 ? 1 : 0) && report.dead == (answer.status < 300 ? 0 : 1))
  }

  @Test("that tell of an older revision have stored another content", arguments: WireFormat.allCases)
  func revision(format: WireFormat) throws {
    let calls = WireCalls(endpoint: try ReceiverEndpoint("https://receiver.example"), format: format)
    var record = Fixture.glucose(1)
    record.revision = 2
    func mixUp(_ body: String) -> MixedAnswer? {
      calls.mixUp(Array(Self.body(body, format).utf8), withDeliveryOf: record, isRefusal: false)
    }
    #expect(mixUp(#"{"data":{"log_id":"OWN","revision":1}}"#) == .revision)
    for revision in ["2", "3", "null", "\"x\""] {
      #expect(mixUp(#"{"data":{"log_id":"OWN","revision":\#(revision)}}"#) == nil, "\(revision)")
    }
    #expect(mixUp(#"{"data":{"log_id":"OTHER","revision":2}}"#) == .record)
  }

  @Test(
    "to an image do not tell of another one",
    arguments: [
      (201, #"{"data":{"id":"m","record_id":"r2"}}"#), (201, #"{"data":{"id":"m","record_id":"re\u0301"}}"#),
      (201, #"{"data":{"id":"m","checksum":"\#(String(repeating: "0", count: 64))"}}"#),
      (201, #"{"id":"m","log_id":"OTHER"}"#), (422, #"{"errors":["x"],"data":{"activity_id":"OTHER"}}"#),
      (404, #"{"errors":["x"],"record_id":7}"#),
    ])
  func anotherImage(status: Int, body: String) async throws {
    let image = try Fixture.image(1)
    let own = #"{"data":{"id":"m","record_id":"r\u00e9","checksum":"\#(image.checksum.uppercased())","log_id":"OWN"}}"#
    let server = try ScriptedServer { request, earlier in
      guard request.path.hasSuffix("/media") else { return .answer(201, body: #"{"data":{"id":"r\u00e9"}}"#) }
      let isFirst = !earlier.contains { $0.path.hasSuffix("/media") }
      return .answer(isFirst ? status : 201, body: Self.body(isFirst ? body : own, .informV2))
    }
    let uploader = try uploader(server)
    let record = Fixture.glucose(1)
    _ = try store.commit([
      CommitUnit(
        generation: generation, records: [CommitRecord(record: record, disposition: .pending)],
        images: [CommitImage(logID: record.logID, image: image)])
    ])
    let report = await uploader.drain()
    #expect(report.delivered == 1 && report.waitingImages == 1 && report.deadImages == 0)
    clock.advance(by: .seconds(2))
    #expect(await uploader.drain().images == 1)
  }

  @Test("are told by calls to a receiver", arguments: [201, 409])
  func client(status: Int) async throws {
    let server = try ScriptedServer { _, _ in
      .answer(status, body: Self.body(#"{"data":{"log_id":"OTHER"},"errors":[]}"#, .informV2))
    }
    let client = ReceiverClient(
      endpoint: try ReceiverEndpoint(server.base), format: .informV2, user: Fixture.user, token: Fixture.token,
      transport: CurlTransport())
    let error = await #expect(throws: APIError.self) { try await client.create(Fixture.glucose(1)) }
    #expect(error?.code == .transport && error?.transportError?.code == .foreignAnswer)
  }
}
