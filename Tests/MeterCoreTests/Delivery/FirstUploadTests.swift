import DeliverySupport
import Foundation
import MeterReceiver
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore
@testable import CurlHTTP
@testable import InformSink

/// A receiver without the validation call says by its answers to uploads what it thinks of a token.
@Suite("First upload", .timeLimit(.minutes(60)))
struct FirstUploadTests {
  static let withoutCall = [400, 403, 404, 405, 410, 422]

  let folder: TemporaryFolder
  let store: MeterStore

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
  }

  @Test("validates the session at a receiver without the call", arguments: withoutCall)
  func accepted(status: Int) async throws {
    let faults = ReceiverFaults()
    faults.inject(.answer(status: status), at: .user)
    let user = SessionUser(userID: "ada", organizationID: RealReceiver.organization)
    let token = AccessToken(RealReceiver.token(of: "ada"))
    let generation = try store.startSession(user, token: token).session.generation
    try await RealReceiver.with(users: ["ada"], faults: faults) { receiver, port in
      let uploader = DeliveryEngine(
        store: store, endpoint: try ReceiverEndpoint("http://127.0.0.1:\(port)"), transport: CurlTransport(),
        clock: StoppedClock(), jitter: { 1 })
      let events = await uploader.events()
      #expect(await uploader.drain() == DrainReport())
      #expect(try !store.currentSession().isValidated)
      _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1)])])
      #expect(await uploader.drain().delivered == 1)
      #expect(faults.remaining == 0)
      #expect(try store.currentSession().isValidated)
      #expect(try receiver.store.measurements(organization: RealReceiver.organization, uid: "ada").count == 1)
      var told: [DeliveryEvent] = []
      for await event in events {
        told.append(event)
        if event == .sessionValidated(user) { break }
      }
      #expect(told.count == 3, "\(told)")
      guard case .sessionUnvalidated(user, _) = told[0], case .recordSubmitted = told[1] else {
        Issue.record("\(told)")
        return
      }
    }
  }

  @Test("validates nothing when it is refused", arguments: [400, 403, 500])
  func refused(status: Int) async throws {
    let server = try ScriptedServer { request, _ in .answer(request.method == "GET" ? 404 : status) }
    let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1)])])
    let uploader = DeliveryEngine(
      store: store, endpoint: try ReceiverEndpoint(server.base), transport: CurlTransport(), clock: StoppedClock(),
      jitter: { 1 })
    #expect(await uploader.drain().delivered == 0)
    #expect(server.posts.count == 1)
    #expect(try !store.currentSession().isValidated)
  }

  @Test("is followed by the question again: a gateway may have answered the first one", arguments: [404, 403])
  func askedAgain(status: Int) async throws {
    let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1)])])
    let server = try ScriptedServer { request, earlier in
      if request.method != "GET" { return .answer(201) }
      if earlier.isEmpty { return .answer(status, body: #"{"message":"no Route matched with those values"}"#) }
      return .answer(200, body: #"{"data":{"uid":"grace","organization_id":"clinic"}}"#)
    }
    let uploader = DeliveryEngine(
      store: store, endpoint: try ReceiverEndpoint(server.base), transport: CurlTransport(), clock: StoppedClock(),
      jitter: { 1 })
    #expect(await uploader.drain().sessionEnded, "it is another person's token")
  }

  @Test("of an image validates as well")
  func image() async throws {
    let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
    let server = try ScriptedServer { request, earlier in
      if request.method == "GET" { return .answer(404) }
      if !request.path.hasSuffix("/media") { return .answer(200, body: #"{"data":{"id":"r1"}}"#) }
      return earlier.contains { $0.path.hasSuffix("/media") } ? .answer(201) : .answer(503)
    }
    let record = Fixture.glucose(1)
    _ = try store.commit([
      CommitUnit(
        generation: generation, records: [CommitRecord(record: record, disposition: .pending)],
        images: [CommitImage(logID: record.logID, image: try Fixture.image(1))])
    ])
    func uploader() throws -> DeliveryEngine {
      DeliveryEngine(
        store: store, endpoint: try ReceiverEndpoint(server.base), transport: CurlTransport(), clock: StoppedClock(),
        jitter: { 1 })
    }
    #expect(await (try uploader()).drain().waitingImages == 1)
    _ = try store.startSession(Fixture.user, token: AccessToken("another-token-0815"))
    #expect(try !store.currentSession().isValidated)
    #expect(await (try uploader()).drain().images == 1)
    #expect(try store.currentSession().isValidated)
  }

  @Test("at a further receiver validates that one")
  func furtherReceiver() async throws {
    let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
    try store.setSink("second", .unknown(), token: AccessToken("second-token-0815"))
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1)])])
    let server = try ScriptedServer { request, _ in .answer(request.method == "GET" ? 404 : 201) }
    let uploader = DeliveryEngine(
      store: store, sink: "second", endpoint: try ReceiverEndpoint(server.base), transport: CurlTransport(),
      clock: StoppedClock(), jitter: { 1 })
    #expect(await uploader.drain().delivered == 1)
    #expect(try store.furtherSinks().first?.isValidated == true)
    #expect(try !store.currentSession().isValidated)
  }
}
