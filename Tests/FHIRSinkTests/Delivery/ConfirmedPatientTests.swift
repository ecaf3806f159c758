import CurlHTTP
import DeliverySupport
import HostPrimitives
import RecordSupport
import TestSupport
import Testing

@testable import FHIRSink
@testable import MeterCore

/// Nothing is sent to a patient whom nobody has confirmed, or who is somebody else by now (hazard H97).
@Suite("The confirmed patient", .timeLimit(.minutes(60)))
struct ConfirmedPatientTests {
  let server: FHIRTestServer

  init() throws { server = try FHIRTestServer() }

  private func code(_ setting: FHIRSinkSetting, _ token: String = FHIRTestServer.token) async -> FHIRSinkError.Code? {
    let credential = SinkCredential(user: Fixture.user, token: AccessToken(token))
    do {
      _ = try await setting.subject(with: credential, transport: CurlTransport(), clock: .system)
      return nil
    } catch {
      return (error as? FHIRSinkError)?.code
    }
  }

  @Test("a sink without a confirmed patient is none")
  func unconfirmed() {
    let error = #expect(throws: FHIRSinkError.self) {
      try FHIRSink(SinkFixture.setting(server), of: SinkFixture.gateway, transport: CurlTransport())
    }
    #expect(error?.code == .notConfirmed)
  }

  @Test("an identifier is looked up, and the patient who was found is who gets the readings")
  func identifier() async throws {
    let setting = FHIRSinkSetting(address: server.address, patientIdentifier: "https://clinic.example/mrn|4711")
    let confirmed = try await SinkFixture.confirmed(setting)
    #expect(confirmed.patient == "Patient/123" && confirmed.confirmedPatient?.count == 64)
    #expect(confirmed.patientIdentifier == setting.patientIdentifier)
    let sink = try FHIRSink(confirmed, of: SinkFixture.gateway, transport: CurlTransport(), clock: StoppedClock())
    _ = await sink.deliver([Fixture.glucose(1)], with: SinkFixture.credential)
    #expect(server.state.transactions.first?.all("reference").contains("Patient/123") == true)
  }

  @Test("an identifier that changes later changes nothing: the id that was found counts")
  func renumbered() async throws {
    let clock = StoppedClock()
    let sink = try await SinkFixture.sink(server, clock: clock) {
      ($0.patient, $0.patientIdentifier) = (nil, "https://clinic.example/mrn|4711")
    }
    let same = try #require(ServerValue(json: FHIRTestServer.patient.replacing("\"4711\"", with: "\"4713\"")))
    let heir = FHIRTestServer.patient.replacing("\"123\"", with: "\"124\"").replacing("Ada", with: "Eve")
    let other = try #require(ServerValue(json: heir))
    server.change {
      $0.records.put(same, as: "Patient/123")
      $0.records.put(other, as: "Patient/124")
    }
    clock.advance(by: .seconds(86_401))
    let replies = await sink.deliver([Fixture.glucose(1)], with: SinkFixture.credential)
    #expect(replies.allSatisfy { if case .delivered = $0.outcome { true } else { false } })
    #expect(server.state.transactions.first?.all("reference").contains("Patient/123") == true)
    #expect(await sink.check(SinkFixture.credential).verdict == .accepted)
  }

  @Test("what is wrong is told")
  func wrong() async {
    var setting = SinkFixture.setting(server)
    #expect(await code(setting) == nil)
    #expect(await code(setting, "another-token") == .refused)
    setting.patient = "Patient/124"
    #expect(await code(setting) == .noPatient)
    setting.patient = "Patient/124"
    setting.patientIdentifier = "https://clinic.example/mrn|4711"
    #expect(await code(setting) == .ambiguousPatient, "id and identifier are two people's")
    setting.patient = nil
    setting.patientIdentifier = "https://clinic.example/mrn|4712"
    #expect(await code(setting) == .noPatient)
    setting.address = "http://127.0.0.1:1/fhir"
    #expect(await code(setting) == .unreachable)
    setting.address = server.server.base + "/other"
    #expect(await code(setting) == .unreachable)
    server.change { $0.metadata = FHIRTestServer.patient }
    #expect(await code(SinkFixture.setting(server)) == .unsuitable)
  }

  @Test("two patients with one identifier are nobody")
  func twins() async throws {
    let twin = try #require(ServerValue(json: FHIRTestServer.patient.replacing("\"123\"", with: "\"124\"")))
    server.change { $0.records.put(twin, as: "Patient/124") }
    let setting = FHIRSinkSetting(address: server.address, patientIdentifier: "https://clinic.example/mrn|4711")
    #expect(await code(setting) == .ambiguousPatient)
  }

  @Test("a record that is not in use is refused")
  func inactive() async throws {
    let old = try #require(
      ServerValue(json: FHIRTestServer.patient.replacing("\"active\":true", with: "\"active\":false")))
    server.change { $0.records.put(old, as: "Patient/123") }
    #expect(await code(SinkFixture.setting(server)) == .inactivePatient)
  }

  @Test("a patient who is somebody else a day later gets nothing")
  func changed() async throws {
    let clock = StoppedClock()
    let sink = try await SinkFixture.sink(server, clock: clock)
    let first = await sink.deliver([Fixture.glucose(1)], with: SinkFixture.credential)
    #expect(first.allSatisfy { if case .delivered = $0.outcome { true } else { false } })
    let other = try #require(ServerValue(json: FHIRTestServer.patient.replacing("Ada", with: "Eva")))
    server.change { $0.records.put(other, as: "Patient/123") }
    #expect(await sink.check(SinkFixture.credential).verdict == .otherUser, "sink test asks each time")
    clock.advance(by: .seconds(86_401))
    let later = await sink.deliver([Fixture.glucose(2)], with: SinkFixture.credential)
    #expect(later.map(\.outcome) == [.retry()])
    #expect(later.first?.text.contains("confirmed") == true && later.first?.text.contains("Eva") == false)
    #expect(server.observations["\(Fixture.glucose(2).logID)"] == nil)
  }

  @Test("what a receiver says of a token")
  func check() async throws {
    let sink = try await SinkFixture.sink(server)
    #expect(await sink.check(SinkFixture.credential).verdict == .accepted)
    server.change { $0.authorization = ["Bearer another"] }
    #expect(await sink.check(SinkFixture.credential).verdict == .refused)
    server.server.stop()
    #expect(await sink.check(SinkFixture.credential).verdict == .outOfReach())
  }
}
