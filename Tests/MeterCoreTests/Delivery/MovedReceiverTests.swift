import DeliverySupport
import Foundation
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore
@testable import CurlHTTP
@testable import InformSink

/// A session that gets another receiver while deliveries to the earlier one go on.
@Suite("A receiver that has moved", .timeLimit(.minutes(60))) struct MovedReceiverTests {
  private let folder: TemporaryFolder
  private let store: MeterStore

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
  }

  private func start(_ receiver: [UInt8], _ token: String) throws -> SessionGeneration {
    try store.startSession(
      Fixture.user, token: AccessToken(token), options: SessionOptions(receiver: .unknown(receiver))
    )
    .session.generation
  }

  private func server() throws -> ScriptedServer {
    try ScriptedServer { request, _ in
      request.method == "POST" ? .answer(201, body: #"{"id":"r"}"#) : .answer(200)
    }
  }

  private func uploader(_ server: ScriptedServer, _ setting: [UInt8]) throws -> DeliveryEngine {
    DeliveryEngine(
      store: store, target: .unknown(setting), endpoint: try ReceiverEndpoint(server.base), transport: CurlTransport(),
      clock: StoppedClock())
  }

  @Test("gets neither the new token nor another reading at its old address")
  func moved() async throws {
    let (old, new) = (try server(), try server())
    let generation = try start([1], "old-token-0123456789")
    let toOld = try uploader(old, [1])
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1)])])
    #expect(await toOld.drain().delivered == 1)
    let asked = old.requests.count
    let later = try start([2], "new-token-0123456789")
    _ = try store.commit([
      CommitUnit(
        generation: later, records: [CommitRecord(record: Fixture.glucose(2), disposition: .pending)],
        images: [CommitImage(logID: Fixture.glucose(2).logID, image: Fixture.image(1))])
    ])
    #expect(await toOld.drain().delivered == 0)
    #expect(old.requests.count == asked)
    let toNew = try uploader(new, [2])
    #expect(await toNew.drain().delivered == 1)
    #expect(new.posts.first?.headers["authorization"] == "Bearer new-token-0123456789")
  }

  @Test("is the same one when only the token is new")
  func sameReceiver() async throws {
    let server = try server()
    let generation = try start([1], "old-token-0123456789")
    let uploader = try uploader(server, [1])
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1)])])
    #expect(await uploader.drain().delivered == 1)
    let again = try start([1], "new-token-0123456789")
    _ = try store.commit([Fixture.unit(again, [Fixture.glucose(2)])])
    #expect(await uploader.drain().delivered == 1)
  }
}
