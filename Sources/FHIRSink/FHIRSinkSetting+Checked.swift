import CurlHTTP
import FHIRBundles
import Foundation
import InformSink

extension FHIRSinkSetting {
  /// The parts that any receiver over HTTP has: address, TLS, proxy, pace.
  var receiver: ReceiverSetting {
    var setting = ReceiverSetting(receiver: address)
    setting.authorityFile = authorityFile
    setting.clientCertificateFile = clientCertificateFile
    setting.clientKeyFile = clientKeyFile
    setting.proxy = proxy
    setting.receiverUser = receiverUser
    setting.requestsPerSecond = requestsPerSecond
    // One after the other: on a server that does not look up and create in one step, two bundles at a time would make one meter two
    // devices, and every later bundle would be refused as ambiguous.
    setting.concurrency = 1
    return setting
  }

  /// The setting as a transport takes it.
  var transportSettings: CurlTransport.Settings {
    var settings = receiver.transportSettings
    // What a server can do is told in megabytes by some.
    settings.responseLimit = FHIRResource.sizeLimit
    return settings
  }

  /// The setting with whole paths and every part checked.
  ///
  /// - Throws: ``FHIRSinkError`` with code `fhir_patient`, `fhir_auth` or `fhir_key_file`; `ReceiverSettingError`.
  package func checked() throws -> FHIRSinkSetting {
    var setting = self
    let receiver = try self.receiver.checked()
    setting.address = try receiver.endpoint().base
    setting.authorityFile = receiver.authorityFile
    setting.clientCertificateFile = receiver.clientCertificateFile
    setting.clientKeyFile = receiver.clientKeyFile
    try checkPatient()
    try checkAuthorization()
    if let keyFile {
      let path = URL(fileURLWithPath: keyFile).standardizedFileURL.path
      setting.keyFile = path
      _ = try SigningKey.read(path)
    }
    return setting
  }

  private func checkPatient() throws(FHIRSinkError) {
    guard patient != nil || patientIdentifier != nil else {
      throw FHIRSinkError(
        .patient, "there is no patient whose readings the server is to get",
        hint: "name one with --patient Patient/123 or --patient-identifier 'SYSTEM|VALUE'")
    }
    if let patient, FHIRSubject(patient: patient) == nil {
      throw FHIRSinkError(
        .patient, "the patient is not written like Patient/123",
        hint: "an id has 1 to 64 letters, digits, - and .; the server's operator knows it")
    }
    if let patientIdentifier, FHIRSubject(patientIdentifier: patientIdentifier) == nil {
      throw FHIRSinkError(
        .patient, "the patient's identifier is not written like SYSTEM|VALUE",
        hint: "such as 'https://clinic.example/mrn|4711', in quotes: a shell would take the | for itself")
    }
  }

  private func checkAuthorization() throws(FHIRSinkError) {
    let name = authorization.rawValue
    if !authorization.fetchesTokens, let extra = firstMember([tokenEndpoint, clientID, scopes], of: Self.tokenMembers) {
      throw FHIRSinkError(
        .authorization, "with auth \(name) no token is fetched, and \(extra) means nothing",
        hint: "leave it out, or say auth=client-credentials or auth=smart-backend")
    }
    if authorization != .smartBackend, let extra = firstMember([keyFile, keyID], of: Self.keyMembers) {
      throw FHIRSinkError(
        .authorization, "with auth \(name) nothing is signed, and \(extra) means nothing",
        hint: "leave it out, or say auth=smart-backend")
    }
    guard authorization.fetchesTokens else { return }
    guard let clientID, Self.isPlain(clientID) else {
      throw FHIRSinkError(
        .authorization, "auth \(name) needs client_id: who this host is to the server",
        hint: "its operator gives one when a client is registered")
    }
    if let scopes, !Self.isPlain(scopes) {
      throw FHIRSinkError(.authorization, "scopes must be words of printable ASCII with single spaces between them")
    }
    if let tokenEndpoint {
      do { _ = try ReceiverEndpoint(tokenEndpoint) } catch {
        throw FHIRSinkError(.authorization, "token_endpoint: \(error.message)", hint: error.hint)
      }
    }
    guard authorization == .smartBackend else { return }
    let needed = [("key_file", keyFile), ("key_id", keyID), ("scopes", scopes)]
    if let missing = needed.first(where: { $0.1?.isEmpty ?? true })?.0 {
      throw FHIRSinkError(
        .authorization, "auth smart-backend needs \(missing)",
        hint:
          "key_file is a PEM file with a private key of P-384 or RSA, key_id what the server calls it, scopes such as "
          + "'system/Observation.write system/Device.write system/Patient.read'")
    }
  }

  private static let tokenMembers = ["token_endpoint", "client_id", "scopes"]
  private static let keyMembers = ["key_file", "key_id"]

  private func firstMember(_ values: [String?], of names: [String]) -> String? {
    zip(values, names).first { $0.0 != nil }?.1
  }

  private static func isPlain(_ text: String) -> Bool {
    (1...1024).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
  }
}
