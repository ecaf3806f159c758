import DeliverySupport
import Foundation
import GRDB
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore
@testable import CurlHTTP
@testable import InformSink

/// One uploader stops and another takes its place, as when a session gets another receiver's address.
@Suite("An uploader that is replaced", .timeLimit(.minutes(60)))
struct ReplacedUploaderTests {
  let folder: TemporaryFolder
  let store: MeterStore
  let server: ScriptedServer

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    server = try ScriptedServer { request, _ in
      request.method == "GET" ? .answer(200, body: "{}") : .answer(201, body: #"{"data":{"id":"r"}}"#)
    }
  }

  func uploader() throws -> DeliveryEngine {
    DeliveryEngine(
      store: store, endpoint: try ReceiverEndpoint(server.base), transport: CurlTransport(), clock: StoppedClock(),
      jitter: { 1 })
  }

  /// Lets the store refuse to file that a delivery is done.
  func setFiling(_ isPossible: Bool, _ table: String) throws {
    try store.transaction { db in
      try db.execute(
        sql: isPossible
          ? "DROP TRIGGER full"
          : """
          CREATE TRIGGER full BEFORE UPDATE ON \(table) WHEN NEW.state = 'delivered'
          BEGIN SELECT RAISE(ABORT, 'full'); END
          """)
    }
  }

  @Test("leaves nothing behind that is neither sent nor waits", arguments: ["delivery", "media_delivery"])
  func unfiled(_ table: String) async throws {
    let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
    let image = CommitImage(logID: Fixture.glucose(1).logID, image: try Fixture.image(1))
    let record = CommitRecord(record: Fixture.glucose(1), disposition: .pending)
    _ = try store.commit([CommitUnit(generation: generation, records: [record], images: [image])])
    try setFiling(false, table)
    let first = try uploader()
    let events = await first.events()
    let task = Task { await first.run() }
    for await event in events {
      if case .storeFailed = event { break }
    }
    task.cancel()
    await task.value
    try setFiling(true, table)
    let report = await (try uploader()).drain()
    #expect(report.images == 1 && report.waiting == 0 && report.waitingImages == 0)
    #expect(try store.queueSnapshot().isEmpty && store.imageSnapshot().isEmpty)
  }
}
