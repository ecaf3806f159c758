import Foundation
import HostErrors
import TestSupport
import Testing

@testable import FHIRSink
@testable import MeterCore

/// What a setting says, and what it may not.
@Suite("Settings of FHIR sinks", .timeLimit(.minutes(60)))
struct FHIRSinkSettingTests {
  private static let base = #"{"address":"https://fhir.example/r4","patient":"Patient/123""#

  private func setting(_ more: String) throws -> FHIRSinkSetting {
    try JSONDecoder().decode(FHIRSinkSetting.self, from: Data((Self.base + more + "}").utf8))
  }

  @Test("a setting is what was written of it")
  func round() throws {
    var setting = FHIRSinkSetting(address: "https://fhir.example/r4", patientIdentifier: "a|b")
    setting.confirmedPatient = "00"
    setting.authorization = .smartBackend
    (setting.clientID, setting.keyFile, setting.keyID) = ("c", "/k.pem", "k")
    (setting.scopes, setting.ids, setting.requestsPerSecond) = ("system/Observation.write", .client, 2)
    let target = try setting.stored()
    #expect(target.kind == "fhir")
    #expect(try SinkKind(FHIRSinkSetting.self).setting(target.setting) as? FHIRSinkSetting == setting)
    #expect(!setting.privateTexts.isEmpty && setting.deliverySettings.concurrency == 1)
  }

  @Test("defaults")
  func defaults() throws {
    let setting = try setting("")
    #expect(setting.authorization == .bearer && setting.ids == .server && setting.credentialNeed == .required)
    #expect(try setting.checked() == setting)
  }

  @Test(
    "what cannot be is told",
    arguments: [
      (#","auth":"smart-backend","client_id":"c","key_file":"/none.pem","key_id":"k","scopes":"s""#, "fhir_key_file"),
      (#","auth":"smart-backend","client_id":"c","scopes":"s","key_id":"k""#, "fhir_auth"),
      (#","auth":"smart-backend","key_file":"/k","scopes":"s","key_id":"k""#, "fhir_auth"),
      (#","auth":"client-credentials""#, "fhir_auth"), (#","auth":"basic","client_id":"c""#, "fhir_auth"),
      (#","key_file":"/k.pem""#, "fhir_auth"),
      (#","auth":"client-credentials","client_id":"c","key_id":"k""#, "fhir_auth"),
      (#","auth":"client-credentials","client_id":"c","token_endpoint":"http://auth.example""#, "fhir_auth"),
      (#","patient_identifier":"b""#, "fhir_patient"), (#","proxy":"nonsense""#, "proxy"),
      (#","ca_file":"/none.pem""#, "tls_file"), (#","requests_per_second":0"#, "upload_limit"),
    ])
  func refused(more: String, code: String) throws {
    let setting = try setting(more)
    do {
      _ = try setting.checked()
      Issue.record("it is taken")
    } catch let error as any HostError {
      #expect(error.codeText == code)
    }
  }

  @Test("an address is https, and a patient is named")
  func address() {
    #expect(throws: (any Error).self) {
      try FHIRSinkSetting(address: "http://fhir.example/r4", patient: "Patient/1").checked()
    }
    #expect(throws: FHIRSinkError.self) { try FHIRSinkSetting(address: "https://fhir.example/r4").checked() }
    #expect(throws: FHIRSinkError.self) {
      try FHIRSinkSetting(address: "https://fhir.example/r4", patient: "123").checked()
    }
  }

  @Test("words that there are not are told with those that there are")
  func words() {
    let kind = SinkKind(FHIRSinkSetting.self)
    let json = Self.base + #","auth":"magic"}"#
    let error = #expect(throws: SinkSettingError.self) { try kind.setting(Array(json.utf8)) }
    #expect(error?.hint?.contains("smart-backend") == true)
  }

  @Test("who was confirmed is nobody's to say")
  func confirmed() {
    #expect(!FHIRSinkSetting.members.map(\.name).contains("confirmed_patient"))
    #expect(FHIRSinkSetting.confirmsSubject)
  }
}
