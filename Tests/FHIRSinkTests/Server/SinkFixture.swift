import CurlHTTP
import FHIRBundles
import HostPrimitives
import RecordSupport
import TestSupport

@testable import FHIRSink
@testable import MeterCore

/// A sink towards the test server, with the patient confirmed as a person would have.
enum SinkFixture {
  static let gateway = SinkGateway(id: "0e0f5d1c-3a9b-4f5c-9b73-0c7b6a1d2e3f")
  static let otherGateway = SinkGateway(id: "7b1c2d3e-0000-4000-8000-00000000000a")
  static let credential = SinkCredential(user: Fixture.user, token: AccessToken(FHIRTestServer.token))

  static func setting(_ server: FHIRTestServer) -> FHIRSinkSetting {
    FHIRSinkSetting(address: server.address, patient: "Patient/123")
  }

  static func confirmed(
    _ setting: FHIRSinkSetting, _ credential: SinkCredential = credential
  ) async throws -> FHIRSinkSetting {
    let subject = try await setting.subject(with: credential, transport: CurlTransport(), clock: .system)
    return setting.confirmed(subject)
  }

  static func sink(
    _ server: FHIRTestServer, of gateway: SinkGateway = gateway, clock: any HostClock = StoppedClock(),
    timeout: Duration = .seconds(60), _ change: (inout FHIRSinkSetting) -> Void = { _ in }
  ) async throws -> FHIRSink {
    var setting = setting(server)
    change(&setting)
    var transport = setting.transportSettings
    transport.timeout = timeout
    return try FHIRSink(
      await confirmed(setting), of: gateway, transport: CurlTransport(settings: transport), clock: clock)
  }

  /// The name by which the server finds a reading of a patient.
  static func name(of record: Record, patient: String = "Patient/123") throws -> String {
    try FHIRBundleMaker(subject: .reference(patient), gateway: FHIRGateway(id: gateway.id)).bundle(for: record)
      .mainIdentifier
  }

  /// A reading at a later revision, with what a person has added.
  static func revised(_ sequence: UInt64, revision: Int) -> Record {
    var record = Fixture.glucose(sequence, context: [Fixture.beforeMeal])
    record.revision = revision
    return record
  }
}
