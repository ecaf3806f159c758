import DeliverySupport
import FHIRBundles
import HostPrimitives
import RecordSupport
import TestSupport
import Testing

@testable import FHIRSink
@testable import MeterCore

/// Readings on their way to a strict FHIR server: each is there once, whatever becomes of the answers (hazard H98).
@Suite("Delivery to a FHIR server", .timeLimit(.minutes(60)))
struct FHIRDeliveryTests {
  let folder: TemporaryFolder
  let store: MeterStore
  let generation: SessionGeneration
  let clock = StoppedClock()
  let server: FHIRTestServer

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    generation = try store.startSession(Fixture.user, token: AccessToken(FHIRTestServer.token)).session.generation
    server = try FHIRTestServer()
  }

  private func engine(_ sink: FHIRSink) -> DeliveryEngine {
    var settings = DeliverySettings()
    settings.concurrency = 1
    return DeliveryEngine(store: store, receiver: sink, settings: settings, clock: clock, jitter: { 1 })
  }

  private func commit(_ sequences: ClosedRange<UInt64>) throws {
    _ = try store.commit([Fixture.unit(generation, sequences.map { Fixture.glucose($0) })])
  }

  private func name(_ sequence: UInt64) throws -> String { try SinkFixture.name(of: Fixture.glucose(sequence)) }

  @Test("readings arrive with the server's ids, and the meter is one device", arguments: FHIRSinkSetting.IDs.allCases)
  func arrive(ids: FHIRSinkSetting.IDs) async throws {
    let engine = engine(try await SinkFixture.sink(server, clock: clock) { $0.ids = ids })
    try commit(1...3)
    #expect(await engine.drain().delivered == 3)
    for sequence in UInt64(1)...3 {
      let entry = try #require(try store.queueEntry(Fixture.glucose(sequence).logID).first)
      let id = try #require(entry.receiverID)
      #expect(id.hasPrefix("Observation/") && server.state.records.resources[id] != nil)
      if ids == .client { #expect(try id == "Observation/\(name(sequence))") }
      #expect(try server.observations[name(sequence)] == 1)
    }
    // The meter and the gateway.
    #expect(server.resources("Device").count == 2)
    #expect(server.state.transactions.allSatisfy { $0.all("reference").contains("Patient/123") })
  }

  static let faults: [FHIRTestServer.Fault] = [
    .tornAnswer, .answer(503, headers: ["Retry-After": "1"], body: FHIRTestServer.body("transient", "later")),
    .answer(409, body: FHIRTestServer.body("conflict", "HAPI-0550")), .answer(200, body: "<html>login</html>"),
    .doneAnswer(200, body: #"{"resourceType":"Bundle","type":"batch-response","entry":[]}"#),
    .answer(429, headers: ["Retry-After": "1"], body: ""), .answer(400, body: "<html>Bad Request</html>"),
    .answer(403, body: FHIRTestServer.body("forbidden", "no")), .answer(302, headers: ["Location": "/login"], body: ""),
    .doneAnswer(500, body: ""), .answer(401, body: "<html>login</html>"), .answer(412, body: "{}"),
  ]

  @Test("a reading waits until a FHIR server says that it has it, and is there once", arguments: faults)
  func fault(fault: FHIRTestServer.Fault) async throws {
    let engine = engine(try await SinkFixture.sink(server, clock: clock))
    try commit(1...1)
    server.change { $0.faults = [fault] }
    let first = await engine.drain()
    #expect(first.delivered == 0 && first.dead == 0 && first.waiting == 1 && !first.sessionEnded)
    #expect(try store.queueSnapshot().first?.lastError?.isEmpty == false)
    clock.advance(by: first.nextTry ?? .seconds(10))
    #expect(await engine.drain().delivered == 1)
    #expect(try server.observations[name(1)] == 1 && server.resources("Device").count == 2)
  }

  @Test("a reading whose answers are lost again and again is there once")
  func lostAnswers() async throws {
    let engine = engine(try await SinkFixture.sink(server, clock: clock))
    try commit(1...1)
    server.change { $0.faults = [.droppedAnswer, .droppedAnswer, .tornAnswer, .droppedAnswer] }
    for _ in 0..<5 where try !store.queueSnapshot().isEmpty {
      _ = await engine.drain()
      clock.advance(by: .seconds(60))
    }
    #expect(try store.queueSnapshot().isEmpty)
    #expect(try server.observations[name(1)] == 1 && server.resources("Device").count == 2)
  }

  @Test("a server that is too slow is asked again")
  func slow() async throws {
    let engine = engine(try await SinkFixture.sink(server, clock: clock, timeout: .milliseconds(300)))
    try commit(1...1)
    server.change { $0.faults = [.silence] }
    #expect(await engine.drain().waiting == 1)
    clock.advance(by: .seconds(10))
    #expect(await engine.drain().delivered == 1)
    #expect(try server.observations[name(1)] == 1)
  }

  @Test("a reading that the server has twice is dead, and says why")
  func ambiguous() async throws {
    let engine = engine(try await SinkFixture.sink(server, clock: clock))
    try commit(1...1)
    let name = try name(1)
    server.change { state in
      for id in ["a", "b"] {
        let twin = ServerValue.object([
          "resourceType": .text("Observation"), "id": .text(id),
          "identifier": .array([
            .object([
              "system": .text(FHIRBundleMaker.identifierSystem), "value": .text(name),
            ])
          ]),
        ])
        state.records.put(twin, as: "Observation/\(id)")
      }
    }
    let report = await engine.drain()
    #expect(report.dead == 1 && report.delivered == 0)
    let entry = try #require(try store.queueSnapshot().first)
    #expect(entry.state == .dead && entry.reason == "ambiguous")
    #expect(entry.lastError?.contains("several times") == true)
  }

  @Test("a reading that the server refuses is dead, and its value is not in the reason")
  func refused() async throws {
    let engine = engine(try await SinkFixture.sink(server, clock: clock))
    try commit(1...1)
    let words = "Value 112 mg/dL of Patient/123 is wrong (token \(FHIRTestServer.token))"
    server.change { $0.faults = [.answer(422, body: FHIRTestServer.body("invalid", words))] }
    #expect(await engine.drain().dead == 1)
    let entry = try #require(try store.queueSnapshot().first)
    #expect(entry.reason == "http-422")
    for secret in ["112", "123", FHIRTestServer.token] {
      #expect(entry.lastError?.contains(secret) == false, "\(entry.lastError ?? "")")
    }
  }

  @Test("a refused token ends nothing but what it is a token of")
  func refusedToken() async throws {
    let sink = try await SinkFixture.sink(server, clock: clock)
    server.change { $0.authorization = ["Bearer another"] }
    let replies = await sink.deliver([Fixture.glucose(1)], with: SinkFixture.credential)
    #expect(replies.map(\.outcome) == [.credentialRefused])
    #expect(server.resources("Observation").isEmpty)
  }

  @Test("two gateways with one meter: each reading once, one device, a gateway each")
  func twoGateways() async throws {
    let sinks = [
      try await SinkFixture.sink(server), try await SinkFixture.sink(server, of: SinkFixture.otherGateway),
    ]
    let records = (1...12).map { Fixture.glucose($0) }
    await withTaskGroup(of: [SinkReply].self) { group in
      for sink in sinks {
        group.addTask { await sink.deliver(records, with: SinkFixture.credential) }
      }
      for await replies in group {
        #expect(replies.allSatisfy { if case .delivered(.some, _) = $0.outcome { true } else { false } })
      }
    }
    for record in records { #expect(try server.observations[SinkFixture.name(of: record)] == 1) }
    #expect(server.resources("Device").count == 3)
  }

  @Test(
    "two people's readings with one name are both there, each at its own revision",
    arguments: FHIRSinkSetting.IDs.allCases)
  func twoPeople(ids: FHIRSinkSetting.IDs) async throws {
    let eve = FHIRTestServer.patient.replacing("\"123\"", with: "\"124\"").replacing("Ada", with: "Eve")
    let other = try #require(ServerValue(json: eve))
    server.change { $0.records.put(other, as: "Patient/124") }
    let ada = try await SinkFixture.sink(server) { $0.ids = ids }
    let second = try await SinkFixture.sink(server) { ($0.ids, $0.patient) = (ids, "Patient/124") }
    for (sink, record) in [
      (ada, Fixture.glucose(1)), (second, Fixture.glucose(1)), (ada, SinkFixture.revised(1, revision: 2)),
    ] {
      let replies = await sink.deliver([record], with: SinkFixture.credential)
      #expect(replies.allSatisfy { if case .delivered = $0.outcome { true } else { false } })
    }
    #expect(try server.observations[name(1)] == 2)
    #expect(try server.observations[SinkFixture.name(of: Fixture.glucose(1), patient: "Patient/124")] == 1)
    // By the name that it has here both are found.
    let mains = server.resources("Observation").filter { resource in
      (resource["identifier"]?.elements ?? []).contains {
        $0["system"]?.text == FHIRBundleMaker.logIDSystem && $0["value"]?.text == "\(Fixture.glucose(1).logID)"
      }
    }
    #expect(Set(mains.flatMap { $0["subject"]?.all("reference") ?? [] }) == ["Patient/123", "Patient/124"])
    #expect(mains.count == 2)
  }

  @Test("a late first revision does not take the place of a later one", arguments: FHIRSinkSetting.IDs.allCases)
  func revisions(ids: FHIRSinkSetting.IDs) async throws {
    let first = try await SinkFixture.sink(server) { $0.ids = ids }
    let second = try await SinkFixture.sink(server, of: SinkFixture.otherGateway) { $0.ids = ids }
    _ = await first.deliver([Fixture.glucose(1)], with: SinkFixture.credential)
    _ = await first.deliver([SinkFixture.revised(1, revision: 2)], with: SinkFixture.credential)
    let corrected = server.resources("Observation").map(\.json)
    #expect(try server.observations[name(1)] == 2)
    let late = await second.deliver([Fixture.glucose(1)], with: SinkFixture.credential)
    #expect(late.allSatisfy { if case .delivered = $0.outcome { true } else { false } })
    #expect(server.resources("Observation").map(\.json) == corrected)
    // What was corrected is sent again and stays what it is.
    _ = await first.deliver([SinkFixture.revised(1, revision: 2)], with: SinkFixture.credential)
    #expect(server.resources("Observation").map(\.json) == corrected)
  }

  @Test("what has no form in FHIR is refused by the sink, and never queued for it")
  func withoutForm() async throws {
    let sink = try await SinkFixture.sink(server)
    #expect(sink.capabilities.takes(Fixture.glucose(1)))
    let words = try Fixture.words().record()
    #expect(!sink.capabilities.takes(words) && !sink.capabilities.takesImages)
    let replies = await sink.deliver([words], with: SinkFixture.credential)
    #expect(replies.map(\.outcome) == [.refused(reason: "not_encodable")])
    #expect(server.state.transactions.isEmpty)
  }
}
