import DeliverySupport
import Foundation
import MeterReceiver
import RecordSupport
import Testing

@testable import MeterCore
@testable import CurlHTTP
@testable import InformSink

/// Every call in both formats against the real receiver.
@Suite("API client and the receiver", .timeLimit(.minutes(60)))
struct ReceiverClientTests {
  static let user = "ada"

  func client(_ format: WireFormat, port: Int, user: String = user, token: String? = nil) throws -> ReceiverClient {
    ReceiverClient(
      endpoint: try ReceiverEndpoint("http://127.0.0.1:\(port)"), format: format,
      user: SessionUser(userID: user, organizationID: RealReceiver.organization),
      token: AccessToken(token ?? RealReceiver.token(of: user)), transport: CurlTransport())
  }

  func code(_ body: () async throws -> Void) async -> APIError.Code? {
    do { try await body() } catch { return (error as? APIError)?.code }
    return nil
  }

  @Test("create, create again, create something else under the name", arguments: WireFormat.allCases)
  func create(format: WireFormat) async throws {
    try await RealReceiver.with(users: [Self.user]) { receiver, port in
      let client = try client(format, port: port)
      let record = Fixture.glucose(1)
      let stored = try await client.create(record)
      #expect(stored.isNew && stored.logID == record.logID && stored.revision == 1)
      #expect(stored.recordID?.isEmpty == false)
      let again = try await client.create(record)
      #expect(!again.isNew && again.recordID == stored.recordID)
      #expect(await code { _ = try await client.create(Fixture.glucose(1, mantissa: 200)) } == .conflict)
    }
  }

  @Test("create many tells for each what became of it, and stores the others", arguments: WireFormat.allCases)
  func createMany(format: WireFormat) async throws {
    try await RealReceiver.with(users: [Self.user]) { receiver, port in
      let client = try client(format, port: port)
      var records = (UInt64(1)...9).map { Fixture.glucose($0) }
      let stored = try await client.create(records)
      #expect(stored.map(\.logID) == records.map(\.logID) && stored.allSatisfy(\.isNew))
      // The receiver refuses glucose that nobody has.
      records = [Fixture.glucose(20), Fixture.glucose(21, mantissa: 99_999), Fixture.glucose(22)]
      let error = await #expect(throws: APIError.self) { try await client.create(records) }
      #expect(error?.code == .invalidRecords)
      #expect(error?.failures.map(\.index) == [1] && error?.failures.map(\.logID) == [records[1].logID])
      #expect(error?.failures.first?.error.status == 400)
      #expect(error?.stored.map(\.logID) == [records[0].logID, records[2].logID])
      #expect(await code { _ = try await client.create([]) } == .missingRecord)
    }
  }

  @Test("update replaces by the receiver's id", arguments: WireFormat.allCases)
  func update(format: WireFormat) async throws {
    try await RealReceiver.with(users: [Self.user]) { receiver, port in
      let client = try client(format, port: port)
      let stored = try await client.create(Fixture.glucose(1))
      let changed = Fixture.glucose(1, mantissa: 130)
      let updated = try await client.update(changed, recordID: stored.recordID)
      #expect(updated.recordID == stored.recordID && updated.revision == 2 && !updated.isNew)
      let same = try await client.update(changed, recordID: stored.recordID)
      #expect(same.revision == 2, "nothing was different")
      #expect(await code { _ = try await client.update(changed, recordID: nil) } == .missingRecordID)
      #expect(await code { _ = try await client.update(changed, recordID: "") } == .missingRecordID)
      #expect(await code { _ = try await client.update(changed, recordID: "nowhere") } == .missingRecord)
      #expect(await code { _ = try await client.update(changed, recordID: "../../user") } == .missingRecord)
      // Another record's content under this id.
      #expect(
        await code { _ = try await client.update(Fixture.glucose(2), recordID: stored.recordID) } == .invalidRecords)
      if format == .informV2 {
        let found = try receiver.store.measurements(organization: RealReceiver.organization, uid: Self.user)
        #expect(found.map(\.revision) == [2] && found.first?.metrics.first?.value == 130)
      }
    }
  }

  @Test("upsert stores under the name, replaces what is there, and repeats nothing", arguments: WireFormat.allCases)
  func upsert(format: WireFormat) async throws {
    try await RealReceiver.with(users: [Self.user]) { receiver, port in
      let client = try client(format, port: port)
      #expect(try await client.upsert(Fixture.glucose(1)).isNew)
      for (mantissa, revision) in [(130, 2), (140, 3), (140, 3), (130, 4)] as [(Int64, Int)] {
        let stored = try await client.upsert(Fixture.glucose(1, mantissa: mantissa))
        #expect(stored.revision == revision && !stored.isNew, "\(mantissa): \(stored)")
      }
      #expect(await code { _ = try await client.upsert(Fixture.glucose(2), hasName: false) } == .missingActivityID)
    }
  }

  @Test("many upserts at a time leave one record with one of their contents", arguments: WireFormat.allCases)
  func concurrentUpserts(format: WireFormat) async throws {
    try await RealReceiver.with(users: [Self.user]) { _, port in
      let client = try client(format, port: port)
      try await withThrowingTaskGroup(of: StoredReference.self) { group in
        for mantissa in Int64(100)..<104 {
          group.addTask { try await client.upsert(Fixture.glucose(1, mantissa: mantissa)) }
        }
        let ids = try await group.reduce(into: Set<String?>()) { $0.insert($1.recordID) }
        #expect(ids.count == 1)
      }
    }
  }

  @Test("delete takes record and images, once", arguments: WireFormat.allCases)
  func delete(format: WireFormat) async throws {
    try await RealReceiver.with(users: [Self.user]) { _, port in
      let client = try client(format, port: port)
      let stored = try await client.create(Fixture.glucose(1))
      _ = try await client.upload(try Fixture.image(1), toRecord: stored.recordID)
      #expect(await code { try await client.delete(.weight, recordID: stored.recordID) } == wrongType(format))
      if format == .legacyV1 { try await client.delete(.diabetes, recordID: stored.recordID) }
      if format == .informV2 {
        #expect(await code { try await client.delete(.sleep, recordID: stored.recordID) } == .missingRecord)
      }
      #expect(await code { try await client.delete(.diabetes, recordID: stored.recordID) } == .missingRecord)
      #expect(await code { try await client.delete(.diabetes, recordID: nil) } == .missingRecordID)
      #expect(try await client.create(Fixture.glucose(1)).isNew, "it is gone")
    }
  }

  /// Weight and glucose are one collection in Inform, and two in Legacy.
  private func wrongType(_ format: WireFormat) -> APIError.Code? { format == .informV2 ? nil : .missingRecord }

  @Test("upload stores an image once", arguments: WireFormat.allCases)
  func upload(format: WireFormat) async throws {
    try await RealReceiver.with(users: [Self.user]) { _, port in
      let client = try client(format, port: port)
      let stored = try await client.create(Fixture.glucose(1))
      let image = try Fixture.image(1)
      let first = try await client.upload(image, toRecord: stored.recordID)
      #expect(first.isNew && first.checksum == image.checksum && first.mediaID?.isEmpty == false)
      #expect(first.url?.hasSuffix(first.mediaID ?? "?") == true)
      let again = try await client.upload(image, toRecord: stored.recordID)
      #expect(!again.isNew && again.mediaID == first.mediaID)
      #expect(await code { _ = try await client.upload(image, toRecord: nil) } == .missingRecordID)
      #expect(await code { _ = try await client.upload(image, toRecord: "nowhere") } == .missingRecord)
    }
  }

  @Test("types are told apart")
  func types() async throws {
    try await RealReceiver.with(users: [Self.user]) { _, port in
      var night = Fixture.draft(.sleep, [.init("deep_sleep", "1.25", "h")])
      let name = RecordName.given(Fixture.glucose(1).logID)
      let inform = try client(.informV2, port: port)
      _ = try await inform.create(Fixture.glucose(1))
      let record = try night.record(named: name)
      #expect(await code { _ = try await inform.create(record) } == .mismatchedRecordTypes)
      #expect(await code { _ = try await inform.upsert(record) } == .mismatchedRecordTypes)
      let legacy = try client(.legacyV1, port: port)
      night = Fixture.draft(.cgm, seconds: 3_600)
      night.channels = [.init("blood_glucose", unit: "mg/dL", points: [.init(Fixture.morning, "100")])]
      let series = try night.record()
      #expect(await code { _ = try await legacy.create(series) } == .invalidRecordType)
      #expect(await code { try await legacy.delete(.cgm, recordID: "1") } == .invalidRecordType)
      let error = await #expect(throws: APIError.self) { try await legacy.create([Fixture.glucose(3), series]) }
      #expect(error?.code == .invalidRecords && error?.failures.first?.error.code == .invalidRecordType)
      #expect(error?.stored.count == 1)
    }
  }

  @Test("a refused token and a receiver out of reach are no fault of the records", arguments: WireFormat.allCases)
  func transport(format: WireFormat) async throws {
    let gone = try await RealReceiver.with(users: [Self.user]) { _, port in
      let refused = try client(format, port: port, token: "another-token-0123456789abcdef")
      #expect(await code { _ = try await refused.create(Fixture.glucose(1)) } == .unauthorized)
      #expect(await code { _ = try await refused.create([Fixture.glucose(1), Fixture.glucose(2)]) } == .unauthorized)
      return port
    }
    let lost = try client(format, port: gone)
    let error = await #expect(throws: APIError.self) {
      try await lost.create([Fixture.glucose(1), Fixture.glucose(2)])
    }
    #expect(error?.code == .transport && error?.transportError?.code == .unreachable)
    #expect(error?.failures.count == 2 && error?.cure.isEmpty == false)
  }

  @Test("what the receiver cannot do now is told with its wait, and a token that it repeats is taken out")
  func busy() async throws {
    let server = try ScriptedServer { _, earlier in
      earlier.isEmpty
        ? .answer(503, headers: ["Retry-After": "7"], body: "sesame-opens-0815")
        : .answer(409, body: #"{"errors":["no"]}"#)
    }
    let client = ReceiverClient(
      endpoint: try ReceiverEndpoint(server.base), format: .informV2, user: Fixture.user, token: Fixture.token,
      transport: CurlTransport())
    let busy = await #expect(throws: APIError.self) { try await client.create(Fixture.glucose(1)) }
    #expect(busy?.code == .busy && busy?.retryAfterSeconds == 7)
    #expect(busy.map { !"\($0)".contains("sesame") } == true)
    // A receiver that does not say what is there: replacing it is nobody's to guess.
    #expect(await code { _ = try await client.upsert(Fixture.glucose(1)) } == .conflict)
  }
}
