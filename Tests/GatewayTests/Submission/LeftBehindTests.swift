import Foundation
import MeterBluetooth
import MeterDrivers
import MeterReceiver
import Synchronization
import TestSupport
import Testing

@testable import MeterCore
@testable import GatewayAPI
@testable import GatewayEngine

/// What is submitted to a receiver that refuses the token meanwhile: the session ends, and nobody is told that it went on.
@Suite("What a session's end leaves behind", .timeLimit(.minutes(60))) struct LeftBehindTests {
  private struct Bench {
    let owner: GatewayOwner
    let receiver: Receiver
    var store: MeterStore { owner.store }

    /// The receiver takes back the session's token.
    func withdrawToken() throws {
      _ = try receiver.store.replaceToken(organization: GatewayFixture.organization, uid: GatewayFixture.uid)
    }

    func request(_ count: Int = 1) -> SubmitRequest { Self.weights(count) }

    static func weights(_ count: Int) -> SubmitRequest {
      let records = (0..<count).map { number in
        #"{"type": "weight", "time": "2026-03-01T08:0\#(number):00Z", "#
          + #""values": [{"metric": "body_weight", "value": 70.5, "unit": "kg"}]}"#
      }
      return SubmitRequest([SubmitRequest.Document(name: "test", text: records.joined(separator: "\n"))])
    }
  }

  private func with(_ body: (Bench) async throws -> Void) async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      try await GatewayFixture.withReceiver(sandbox) { receiver, port in
        _ = try await GatewayDelivery.start(GatewayFixture.account(port: port), store: store)
        let owner = GatewayOwner(gateway: try GatewayFixture.gateway(.inProcess), store: store)
        try await body(Bench(owner: owner, receiver: receiver))
      }
    }
  }

  private func error(_ body: () async throws -> Void) async -> GatewayError? {
    do { try await body() } catch { return GatewayError(describing: error) }
    return nil
  }

  @Test(arguments: [1, 2, 5])
  func records(count: Int) async throws {
    try await with { bench in
      let delivered = try await bench.request().perform(on: bench.owner)
      #expect(SubmittedRecord.failure(of: delivered) == nil && delivered[0].recoveryFile == nil)
      #expect(delivered[0].deliveries.map(\.state) == ["delivered"])
      try bench.withdrawToken()
      let left = try await bench.request(count).perform(on: bench.owner)
      #expect(left.count == count && left.allSatisfy { $0.deliveries.isEmpty && $0.endReason == .tokenRefused })
      let file = try #require(left[0].recoveryFile)
      let failure = try #require(SubmittedRecord.failure(of: left))
      #expect(failure.code == "session_ended" && failure.message.contains(file))
      #expect(failure.hint?.contains("do not submit it again") == true)
      #expect(failure.hint?.contains("session recover \(file)") == true)
      // They are where it says, and a page of them goes on behind the one before.
      let page = try UnsyncedPage(of: URL(filePath: file), limit: 1)
      #expect(page.user == GatewayFixture.account(port: 1).user && page.entries.map(\.position) == [1])
      let rest = try UnsyncedPage(of: URL(filePath: file), after: page.next)
      #expect(Set((page.entries + rest.entries).map(\.logID)) == Set(left.map(\.logID)))
      #expect(try UnsyncedPage(of: URL(filePath: file), after: rest.next).entries.isEmpty)
      let events = try bench.store.events(after: 0).events.map(\.event)
      guard case .sessionEnded(let end) = events.last else {
        Issue.record("\(events)")
        return
      }
      #expect(end.reason == .tokenRefused && end.unsynced == count && end.recoveryFile == file)
    }
  }

  @Test func anImage() async throws {
    try await with { bench in
      let record = try await bench.request().perform(on: bench.owner)[0]
      try bench.withdrawToken()
      let image = Data([0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 7, count: 60))
      let error = await error { _ = try await ImageRequest(record.logID, content: image).perform(on: bench.owner) }
      #expect(error?.code == "session_ended" && error?.message.contains("the image is not delivered") == true)
    }
  }

  @Test func whatAPersonHasConfirmed() async throws {
    try await with { bench in
      var request = bench.request(3)
      request.confirmsFirst = true
      let held = try await request.perform(on: bench.owner).map(\.logID)
      try bench.withdrawToken()
      let names = try Set(held.prefix(2).map { try #require(QueueName("\($0)")) })
      let error = await error { _ = try await QueueDecisionRequest(.confirm, names).perform(on: bench.owner) }
      #expect(error?.code == "session_ended" && error?.message.contains("2 readings are not delivered") == true)
    }
  }

  @Test("what waited is named with its file when the queue is sent", arguments: [false, true])
  func aFlush(respectsWaits: Bool) async throws {
    try await with { bench in
      var request = bench.request(2)
      request.delivers = false
      _ = try await request.perform(on: bench.owner)
      try bench.withdrawToken()
      let error = await error {
        _ = try await QueueFlushRequest(respectsWaits: respectsWaits).perform(on: bench.owner)
      }
      guard case .sessionEnded(let end) = try bench.store.events(after: 0).events.last?.event else {
        Issue.record("no end")
        return
      }
      let file = try #require(end.recoveryFile)
      #expect(error?.code == "session_ended" && error?.message.contains(file) == true)
      #expect(error?.hint?.contains("session recover \(file)") == true)
    }
  }

  @Test(
    "why a session has ended is told",
    arguments: [HostEvent.EndReason.asked, .otherUser, .tokenRefused])
  func reasons(reason: HostEvent.EndReason) async throws {
    try await with { bench in
      let store = bench.store
      let ended: EndedSession?
      switch reason {
      case .asked: ended = try store.endSession()
      case .otherUser:
        let other = SessionUser(userID: "somebody", organizationID: "else")
        ended = try store.startSession(other, token: AccessToken("another-token-0815")).ended
      default:
        let serial = try #require(try store.credential()).tokenSerial
        ended = try store.endSession(refusedToken: serial)
      }
      #expect(ended?.reason == reason)
      let told = try store.events(after: 0).events.compactMap { event -> HostEvent.EndReason? in
        if case .sessionEnded(let end) = event.event { end.reason } else { nil }
      }
      #expect(told == [reason])
      #expect(EndedSessionDescription(try #require(ended)).reason == reason.rawValue)
    }
  }

  @Test func aRefusedRecordIsToldWithItsEvent() async throws {
    try await with { bench in
      let store = bench.store
      let record = try RecordDocument(Array(bench.request().documents[0].text.utf8), name: "x").entries[0].record()
      _ = try store.commit([
        CommitUnit(
          generation: try store.currentSession().generation,
          records: [CommitRecord(record: record, disposition: .pending)])
      ])
      let ticket = try #require(try store.claim(sink: MeterStore.defaultSink, limit: 1).first)
      #expect(try store.resolve([(ticket, .dead(reason: "http-422", error: "HTTP 422 no"))]) == [true])
      func told() async throws -> [EventDescription] {
        let heard = Mutex<[EventDescription]>([])
        let partner = ControlPartner<EventDescription>(patience: Patience()) { event in
          heard.withLock { $0.append(event) }
        }
        try await EventsRequest(after: 0, follows: false).perform(on: bench.owner, with: partner)
        return heard.withLock(\.self)
      }
      let event = try #require(try await told().last)
      #expect(event.name == "record_submission_failed")
      #expect(event.record?.values.map(\.reported) == ["70.5"] && event.record?.reason == "http-422")
      let line = GatewayJSON.line(event)
      #expect(try JSONDecoder().decode(EventDescription.self, from: Data(line.utf8)) == event)
      // The log itself has no health value, and a record that is gone is not told.
      #expect(try store.discard([record.logID]) == [record.logID])
      #expect(try await told().last { $0.name == "record_submission_failed" }?.record == nil)
    }
  }

  @Test func aReceiverThatIsWaitedForIsNamed() async throws {
    try await with { bench in
      let store = bench.store
      #expect(try QueueListRequest().perform(on: bench.owner).waits == nil)
      try store.setSinkWait(
        SinkWait(noted: .now, pause: .seconds(3600), asked: .seconds(3600), failures: 1, error: "HTTP 503 busy"),
        sink: MeterStore.defaultSink, .records)
      let wait = try #require(try QueueListRequest().perform(on: bench.owner).waits?.first)
      #expect(wait.isAsked && (3590...3600).contains(wait.seconds) && wait.sink == "inform")
      #expect(wait.text.contains("it has asked for that (HTTP 503 busy)") && wait.text.contains("queue flush"))
      let record = try await bench.request().perform(on: bench.owner)[0]
      #expect(record.deliveries.map(\.state) == ["pending"] && record.waits?.map(\.sink) == ["inform"])
      let waiting = await error { _ = try await QueueFlushRequest(respectsWaits: true).perform(on: bench.owner) }
      #expect(waiting?.code == "not_delivered", "who ends a pause does not end what the receiver has asked for")
      #expect(try QueueListRequest().perform(on: bench.owner).waits?.count == 1)
      #expect(try await QueueFlushRequest().perform(on: bench.owner) == 0)
      #expect(try QueueListRequest().perform(on: bench.owner).waits == nil)
    }
  }

  @Test func onlyTheUsersOwnWaitForTheirWord() async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      // Without a session: the default user's two, which nobody can confirm.
      let read = try await GatewayFixture.read("contour-next-one.json", as: 1000, into: store, sandbox: sandbox)
      #expect(read?.records.count == 2)
      #expect(try store.awaitingWord() == 0 && store.tally()[.held] == 2)
      _ = try await GatewayDelivery.start(GatewayFixture.account(port: 9), store: store)
      let owner = GatewayOwner(gateway: try GatewayFixture.gateway(.inProcess), store: store)
      #expect(try store.awaitingWord() == 0)
      var request = Bench.weights(3)
      (request.confirmsFirst, request.delivers) = (true, false)
      let held = try await request.perform(on: owner)
      #expect(try store.awaitingWord() == 3 && store.tally()[.held] == 5)
      #expect(try store.confirm([held[0].logID]) == [held[0].logID])
      #expect(try store.awaitingWord() == 2)
    }
  }
}
