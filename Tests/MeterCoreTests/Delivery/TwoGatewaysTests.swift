@testable import CurlHTTP
import DeliverySupport
import RecordSupport
import Foundation
import MeterReceiver
import TestSupport
import Testing

@testable import MeterCore
@testable import InformSink

/// One person's meter is read at home and in the clinic, by gateways that know nothing of each other.
@Suite("One reading from two gateways", .timeLimit(.minutes(60)))
struct TwoGatewaysTests {
  static let user = SessionUser(userID: "ada", organizationID: RealReceiver.organization)

  /// A gateway of its own that delivers the same reading, taken with another zone.
  private func deliver(
    _ zone: String, _ format: WireFormat, value: Int64 = 112, to port: Int
  ) async throws -> DrainReport {
    let folder = try TemporaryFolder()
    let store = try MeterStore(folder: folder.state)
    let generation = try store.startSession(Self.user, token: AccessToken(RealReceiver.token(of: "ada"))).session
      .generation
    var admission = RecordAdmission(
      context: AdmissionContext(
        meter: Fixture.meter, source: Fixture.source, gatewayZone: try #require(TimeZone(identifier: zone))))
    let reported = RecordAdmissionTests.reported([RecordAdmissionTests.glucose(value)])
    guard case .commit(let record)? = admission.admit([reported], clock: RecordAdmissionTests.clock).first else {
      throw RecordAdmissionTests.NotCommitted()
    }
    _ = try store.commit([CommitUnit(generation: generation, records: [record])])
    let uploader = DeliveryEngine(
      store: store, endpoint: try ReceiverEndpoint("http://127.0.0.1:\(port)"), format: format,
      transport: CurlTransport(), clock: StoppedClock(), jitter: { 1 })
    return await uploader.drain()
  }

  @Test("is stored once, and both have delivered it", arguments: WireFormat.allCases)
  func same(format: WireFormat) async throws {
    try await RealReceiver.with(users: ["ada"]) { receiver, port async throws in
      for zone in ["Europe/Berlin", "America/New_York", "Asia/Kolkata"] {
        #expect(try await deliver(zone, format, to: port) == DrainReport(delivered: 1), "\(zone)")
      }
      let stored = try receiver.store.records(organization: RealReceiver.organization, uid: "ada")
      #expect(stored.count == 1 && stored.first?.revision == 1)
    }
  }

  @Test("with another value is refused for a person to look at", arguments: WireFormat.allCases)
  func other(format: WireFormat) async throws {
    try await RealReceiver.with(users: ["ada"]) { _, port async throws in
      #expect(try await deliver("Europe/Berlin", format, to: port) == DrainReport(delivered: 1))
      #expect(try await deliver("Europe/Berlin", format, value: 113, to: port).delivered == 0)
    }
  }
}
