import CurlHTTP
import FHIRBundles
import MeterCore

/// Asks a server about itself and about the patient whose readings it is to get.
struct PatientDesk: Sendable {
  let setting: FHIRSinkSetting
  let server: FHIRServer

  /// The patient, of a server that can take readings.
  ///
  /// - Throws: ``FHIRSinkError``: `fhir_unreachable`, `fhir_refused`, `fhir_forbidden`, `fhir_unsuitable`,
  ///   `fhir_no_patient`, `fhir_ambiguous_patient`, `fhir_inactive_patient`.
  func patient(_ secret: AccessToken?) async throws(FHIRSinkError) -> SinkSubject {
    try await checkServer(secret)
    let found = try await find(secret)
    guard !found.isOutOfUse else {
      throw FHIRSinkError(
        .inactivePatient, "the server says that the record of \(found.reference) is not in use any more",
        hint: "ask its operator which record of this person is")
    }
    return found.subject()
  }

  /// - Throws: ``FHIRSinkError``: `fhir_unreachable`, `fhir_refused`, `fhir_forbidden`, `fhir_unsuitable`.
  func checkServer(_ secret: AccessToken?) async throws(FHIRSinkError) {
    let body = try await get("/metadata", secret).body
    guard let abilities = ServerAbilities(body) else {
      throw FHIRSinkError(
        .unsuitable, "\(setting.address) is no FHIR R4 server: /metadata is no CapabilityStatement",
        hint: "give the server's base address, as https://fhir.example/r4")
    }
    if let problem = abilities.problem(setting.ids) {
      throw FHIRSinkError(
        .unsuitable, "the server \(problem)", hint: "docs/send-to-fhir.md says what a server has to be able to do")
    }
  }

  private func find(_ secret: AccessToken?) async throws(FHIRSinkError) -> PatientResource {
    guard let text = setting.patientIdentifier,
      case .identifier(let system, let value)? = FHIRSubject(patientIdentifier: text)
    else {
      return try await read(setting.patient ?? "", secret)
    }
    let path = PatientSearch.path(system: system, value: value)
    switch PatientSearch(try await get(path, secret).body, system: system, value: value) {
    case .found(let patient):
      if let named = setting.patient, !named.utf8.elementsEqual(patient.reference.utf8) {
        throw FHIRSinkError(
          .ambiguousPatient, "the identifier is that of \(patient.reference), and not of \(named)",
          hint: "name the patient by one of both, after a look at whose they are")
      }
      return patient
    case .none: throw Self.noPatient
    case .several:
      throw FHIRSinkError(
        .ambiguousPatient, "the server has several patients with this identifier",
        hint: "ask its operator which is right, and name it with --patient")
    case .unclear:
      throw FHIRSinkError(
        .unsuitable, "the server does not look for patients by an identifier",
        hint: "name the patient with --patient Patient/ID")
    }
  }

  private func read(_ reference: String, _ secret: AccessToken?) async throws(FHIRSinkError) -> PatientResource {
    let response = try await get("/\(reference)", secret, missing: Self.noPatient)
    // A server, or a cache before it, that answers with somebody else would be believed.
    guard let resource = FHIRResource(response.body), let patient = PatientResource(resource),
      patient.reference.utf8.elementsEqual(reference.utf8)
    else {
      throw FHIRSinkError(
        .unreachable, "the server answers to \(reference) with something else than that patient",
        hint: "check address, proxy and network")
    }
    return patient
  }

  private static let noPatient = FHIRSinkError(
    .noPatient, "the server knows no such patient",
    hint: "check the id or identifier with the server's operator; a token of another patient hides this one, too")

  /// - Parameter missing: What a 404 or 410 of the server means.
  private func get(
    _ path: String, _ secret: AccessToken?, missing: FHIRSinkError? = nil
  ) async throws(FHIRSinkError) -> HTTPResponse {
    let exchange = await server.send("GET", path, secret: secret)
    switch exchange.outcome {
    case .failed(let error): throw FHIRSinkError(.unreachable, "the server cannot be asked: \(error.message)")
    case .withoutToken(let failure):
      throw FHIRSinkError(failure.kind == .refused ? .refused : .unreachable, failure.text)
    case .answered(let response):
      guard response.status != 200 else { return response }
      let words = AnswerText(secrets: exchange.secrets, values: HiddenValues([])).text(ofRefusal: response)
      let outcome = OperationOutcome(response.body)
      switch response.status {
      case let status where [404, 410].contains(status) && outcome != nil: if let missing { throw missing }
      case 401 where outcome != nil || response.refusesToken:
        throw FHIRSinkError(
          .refused, "the server refuses who this host is: \(words)", hint: "ask its operator for what is right")
      case 403 where outcome != nil:
        throw FHIRSinkError(
          .forbidden, "the server does not let this host see what it asks for: \(words)",
          hint: "it has to let it read the patient, so that a person can see who that is")
      default: break
      }
      throw FHIRSinkError(.unreachable, "the server does not answer as one: \(words)")
    }
  }
}
