import DeliverySupport
import Foundation
import GRDB
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore
@testable import CurlHTTP
@testable import InformSink

/// A disk that changes what it keeps: SQLite does not notice a changed digit.
@Suite("Damaged records", .timeLimit(.minutes(60))) struct DamagedRecordTests {
  private let folder: TemporaryFolder
  private let store: MeterStore

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
  }

  @Test("are put aside and never sent, and stop no other")
  func aside() async throws {
    let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
    let records = (1...6).map { Fixture.glucose($0) }
    _ = try store.commit([Fixture.unit(generation, records)])
    try await store.database.write { db in
      for (index, change) in ["X'6e6f6e65'", #"CAST(replace(content, '"mantissa":', '"mantissa":9') AS BLOB)"#]
        .enumerated()
      {
        try db.execute(
          sql: "UPDATE record SET content = \(change) WHERE log_id = ?", arguments: [records[index].logID.description])
      }
    }
    let server = try ScriptedServer { request, _ in
      request.method == "POST" ? .answer(201, body: #"{"id":"r"}"#) : .answer(200)
    }
    var settings = DeliverySettings()
    settings.concurrency = 1
    let uploader = DeliveryEngine(
      store: store, endpoint: try ReceiverEndpoint(server.base), transport: CurlTransport(), settings: settings,
      clock: StoppedClock())
    #expect(await uploader.drain().delivered == 4)
    let sent = server.posts.map { String(decoding: $0.body, as: UTF8.self) }
    #expect(sent.count == 4 && !sent.contains { $0.contains(records[1].logID.description) })
    let dead = try store.queueSnapshot(states: [.dead])
    #expect(dead.map(\.logID) == records.prefix(2).map(\.logID) && dead.allSatisfy { $0.reason == "damaged" })
    let told = try store.events(after: 0).events.compactMap { event in
      if case .recordSubmissionFailed(let refused) = event.event { refused.reason } else { nil }
    }
    #expect(told == ["damaged", "damaged"])
    // A person's word makes no reading of it either.
    _ = try store.resubmit(Set(dead.map(\.logID)))
    #expect(await uploader.drain().delivered == 0)
    #expect(try store.edit(records[1].logID, RecordEdit(startMicroseconds: Fixture.morning + 1)) == nil)
  }
}
