import DeliverySupport
import Foundation
import GRDB
import HostPrimitives
import MeterReceiver
import RecordSupport
import Synchronization
import TestSupport
import Testing

@testable import MeterCore
@testable import CurlHTTP
@testable import InformSink

/// Ten ways in which store-and-forward queues have failed their users, each tried on ours.
@Suite("What fails in other queues", .timeLimit(.minutes(60)))
struct QueueFailureTests {
  let folder: TemporaryFolder
  let store: MeterStore
  let generation: SessionGeneration
  let clock = StoppedClock()

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
  }

  private func commit(_ sequences: ClosedRange<UInt64>) throws {
    _ = try store.commit([Fixture.unit(generation, sequences.map { Fixture.glucose($0) })])
  }

  /// A server that answers by what the posted record is; 201 where the answer is nil.
  private func server(
    _ answer: @escaping @Sendable (_ body: String) -> ScriptedServer.Reply?
  ) throws -> ScriptedServer {
    try ScriptedServer { request, _ in
      guard request.method == "POST" else { return .answer(200) }
      return answer(String(decoding: request.body, as: UTF8.self)) ?? .answer(201, body: #"{"id":"r"}"#)
    }
  }

  private func uploader(_ server: ScriptedServer, concurrency: Int = 1) throws -> DeliveryEngine {
    var settings = DeliverySettings()
    settings.concurrency = concurrency
    return DeliveryEngine(
      store: store, endpoint: try ReceiverEndpoint(server.base), transport: CurlTransport(), settings: settings,
      clock: clock, jitter: { 1 })
  }

  private static func name(_ sequence: UInt64) -> String { Fixture.glucose(sequence).logID.description }

  @Test("1: what was acknowledged before SIGKILL is there", arguments: [35, 41, 47])
  func acknowledgedThenKilled(place: Int) async throws {
    let (isKilled, acknowledged, stored) = try await onOwnThread {
      let folder = try TemporaryFolder()
      let run = try KilledProbe(folder, ["60", "alone"], calls: "fdatasync", killedAt: place)
      let store = try MeterStore(folder: folder.whenFree())
      return (run.isKilled, run.last("acknowledged"), try store.queueSnapshot().count)
    }
    #expect(isKilled)
    #expect(acknowledged > 0)
    #expect(stored >= acknowledged * 3)
  }

  @Test("2: a corrupt file is an error each time and no crash, and a repair counts what it cost")
  func corruptFile() throws {
    let whole = try DamagedFolder.whole.get()
    let page = try #require(whole.pages.values.min())
    let damaged = try DamagedFolder(whole) { $0.damagePage(page) { $0 = [UInt8](repeating: 0, count: $0.count) } }
    for _ in 0..<3 {
      let error = #expect(throws: StoreError.self) {
        _ = try MeterStore(folder: damaged.folder.whenFree()).queueSnapshot()
      }
      #expect(error?.code == .corrupt)
    }
    let repair = try MeterStore.repair(folder: damaged.folder.whenFree())
    let left = try MeterStore(folder: damaged.folder.whenFree()).usage().records
    #expect(!repair.lost.isEmpty)
    #expect(left + repair.lost.count == whole.records.count)
  }

  @Test("3: data and cursor are on disk together or not at all")
  func cursorWithData() throws {
    var limits = QueueLimits()
    limits.records = 2
    let small = try TemporaryFolder()
    let write = [StorageWrite(key: "user/cursor", value: [3])]
    do {
      let store = try MeterStore(folder: small.state, limits: limits)
      let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
      let error = #expect(throws: StoreError.self) {
        try store.commit([Fixture.unit(generation, (1...3).map { Fixture.glucose($0) }, writes: write)])
      }
      #expect(error?.code == .queueFull)
    }
    let store = try MeterStore(folder: small.whenFree())
    let generation = try store.currentSession().generation
    #expect(try store.queueSnapshot().isEmpty)
    #expect(try store.storage(generation: generation, family: "glucose", meter: Fixture.meter).isEmpty)
    _ = try store.commit([Fixture.unit(generation, (1...3).map { Fixture.glucose($0) }, writes: write)])
    #expect(try store.queueSnapshot().count == 3)
    #expect(
      try store.storage(generation: generation, family: "glucose", meter: Fixture.meter)["user/cursor"] == [3])
  }

  @Test("4: a record that the receiver never takes does not hold up those behind it")
  func poisonRecord() async throws {
    let server = try server { $0.contains(Self.name(1)) ? .answer(422, body: #"{"errors":["no"]}"#) : nil }
    try commit(1...5)
    let report = await (try uploader(server)).drain()
    #expect(report.delivered == 4 && report.dead == 1 && report.waiting == 0)
    #expect(try store.queueSnapshot(states: [.dead]).map(\.logID.description) == [Self.name(1)])
  }

  @Test("5: it has a bound, says when it is full, and gives the disk back")
  func boundedSpace() async throws {
    var limits = QueueLimits()
    limits.records = 2_000
    let bounded = try TemporaryFolder(inMemory: true)
    let store = try MeterStore(folder: bounded.state, limits: limits)
    let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
    _ = try store.commit([Fixture.unit(generation, (1...2_000).map { Fixture.glucose($0) })])
    let error = #expect(throws: StoreError.self) {
      try store.commit([Fixture.unit(generation, [Fixture.glucose(2_001)])])
    }
    #expect(error?.code == .queueFull)
    func pages() throws -> Int {
      try store.reading { try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0 }
    }
    let full = try pages()
    _ = try store.discard(Set((1...2_000).map { Fixture.glucose($0).logID }), includingPending: true)
    while try store.giveBackSpace() {}
    #expect(try pages() < full / 2)
    #expect(try store.commit([Fixture.unit(generation, [Fixture.glucose(2_001)])]).first?.new.count == 1)
  }

  @Test("6: a lost answer, a restart and a second reading of the meter leave one record at the receiver")
  func noDuplicates() async throws {
    let user = "ada"
    let faults = ReceiverFaults()
    faults.inject(.dropAfterStoring, times: 4)
    try await RealReceiver.with(users: [user], faults: faults) { receiver, port in
      let folder = try TemporaryFolder()
      for _ in 0..<3 {
        let store = try MeterStore(folder: folder.whenFree())
        var session = try store.currentSession()
        if session.user == nil {
          let user = SessionUser(userID: user, organizationID: RealReceiver.organization)
          session = try store.startSession(user, token: AccessToken(RealReceiver.token(of: "ada"))).session
        }
        _ = try store.commit([Fixture.unit(session.generation, [Fixture.glucose(1), Fixture.glucose(2)])])
        let uploader = DeliveryEngine(
          store: store, endpoint: try ReceiverEndpoint("http://127.0.0.1:\(port)"), transport: CurlTransport(),
          clock: clock, jitter: { 1 })
        _ = await uploader.drain()
        // Waits outlive the restart.
        clock.advance(by: .seconds(60))
        clock.unixMicroseconds += 60_000_000
      }
      let names = try receiver.store.measurements(organization: RealReceiver.organization, uid: user).map(\.logID)
      #expect(faults.remaining == 0)
      #expect(names.sorted() == [Self.name(1), Self.name(2)].sorted())
    }
  }

  @Test("7: a step of the wall clock changes no waiting time")
  func wallClockSteps() async throws {
    let isDown = Mutex(true)
    let server = try server { _ in isDown.withLock { $0 } ? .answer(503) : nil }
    let uploader = try uploader(server)
    try commit(1...1)
    #expect(await uploader.drain().nextTry == .seconds(2))
    isDown.withLock { $0 = false }
    // As if the clock had been a year ahead when the try was planned.
    try await store.database.write { db in
      try db.execute(sql: "UPDATE delivery SET next_try_us = next_try_us + 31536000000000")
    }
    #expect(await uploader.drain().delivered == 0, "its time has not come")
    clock.advance(by: .seconds(2))
    #expect(await uploader.drain().delivered == 1)
  }

  @Test("8: a full disk refuses new records and keeps the acknowledged ones")
  func fullDisk() throws {
    try commit(1...3)
    try store.database.writeWithoutTransaction { db in
      let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
      try db.execute(sql: "PRAGMA max_page_count = \(pages)")
    }
    let error = #expect(throws: StoreError.self) { try commit(4...600) }
    #expect(error?.code == .diskFull)
    #expect(try store.queueSnapshot().map(\.record?.deviceSequence) == [1, 2, 3])
    try store.database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = 1000000") }
    try commit(4...600)
    #expect(try store.queueSnapshot().count == 600)
  }

  @Test("9: it goes on trying through a month without a receiver, and delivers when there is one")
  func longOutage() async throws {
    let isDown = Mutex(true)
    let server = try server { _ in isDown.withLock { $0 } ? .drop : nil }
    let uploader = try uploader(server)
    try commit(1...3)
    var longest = Duration.zero
    for _ in 0..<40 {
      let report = await uploader.drain()
      #expect(report.delivered == 0 && report.waiting == 3 && report.dead == 0)
      longest = max(longest, report.nextTry ?? .zero)
      clock.advance(by: .seconds(18 * 3600))
    }
    #expect(longest <= .seconds(3600), "and never waits for longer than that")
    isDown.withLock { $0 = false }
    #expect(await uploader.drain().delivered == 3)
  }

  @Test("10: of many at once each is judged for itself")
  func eachForItself() async throws {
    let server = try server { body in
      if body.contains(Self.name(3)) { return .answer(422, body: #"{"errors":["no"]}"#) }
      return body.contains(Self.name(7)) ? .answer(503) : nil
    }
    try commit(1...20)
    let report = await (try uploader(server, concurrency: 4)).drain()
    #expect(report.dead == 1 && report.delivered + report.waiting == 19)
    clock.advance(by: .seconds(3600))
    _ = await (try uploader(server, concurrency: 4)).drain()
    let left = try store.queueSnapshot()
    #expect(left.first { $0.logID.description == Self.name(3) }?.state == .dead)
    #expect(left.filter { $0.state != .dead }.map(\.logID.description) == [Self.name(7)])
  }
}
