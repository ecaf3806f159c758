import CurlHTTP
import FHIRBundles
import HostPrimitives
import InformSink
package import MeterCore

extension FHIRSinkSetting: SinkSetting {
  /// The kind's name in the store and for `sink add --kind`.
  package static let kind = "fhir"
  /// What is shown beside the kind.
  package static let summary = "a FHIR R4 server: a transaction bundle a reading, of the Personal Health Device guide"
  /// Whether it wants a token: what auth says.
  package static let credentialUse = CredentialUse.optional
  /// The server says who the patient is.
  package static let confirmsSubject = true
  /// What its JSON says; who was confirmed stands there, too, and is nobody's to say.
  package static let members = [
    SinkMember(
      Member.address.rawValue, isRequired: true, help: "the server's base address, such as https://fhir.example/r4"),
    SinkMember(Member.patient.rawValue, help: "whose readings they are, such as Patient/123"),
    SinkMember(Member.patientIdentifier.rawValue, help: "or an identifier of theirs, SYSTEM|VALUE, which is looked up"),
    SinkMember(
      Member.auth.rawValue, .word(Authorization.allCases.map(\.rawValue)), help: "how this host proves who it is"),
    SinkMember(Member.tokenEndpoint.rawValue, help: "where tokens are fetched; without it the server is asked"),
    SinkMember(Member.clientID.rawValue, help: "who this host is there"),
    SinkMember(Member.keyFile.rawValue, .path, help: "smart-backend: a PEM file with the key that signs, P-384 or RSA"),
    SinkMember(Member.keyID.rawValue, help: "smart-backend: what the server calls that key"),
    SinkMember(Member.scopes.rawValue, help: "what is asked for with a token"),
    SinkMember(Member.ids.rawValue, .word(IDs.allCases.map(\.rawValue)), help: "who gives observations their ids"),
    SinkMember(Member.authorityFile.rawValue, .path, help: "a PEM file of authorities instead of the system's"),
    SinkMember(
      Member.clientCertificateFile.rawValue, .path, help: "a PEM file with the certificate that the server is shown"),
    SinkMember(Member.clientKeyFile.rawValue, .path, help: "a PEM file with that certificate's key"),
    SinkMember(Member.proxy.rawValue, help: "the proxy towards the server, such as http://proxy.example:3128"),
    SinkMember(
      Member.receiverUser.rawValue, help: "the user that a server on this machine runs as: own, any or a number"),
    SinkMember(Member.requestsPerSecond.rawValue, .number, help: "requests a second at most"),
  ]

  /// Address, patient, and whatever else is of one place.
  package var privateTexts: [String] {
    [
      address, patient, patientIdentifier, confirmedPatient, tokenEndpoint, clientID, keyFile, keyID, proxy,
      authorityFile,
      clientCertificateFile, clientKeyFile,
    ].compactMap(\.self)
  }

  /// What has a form in FHIR; no pictures.
  package var capabilities: SinkCapabilities {
    // Who the patient is and which gateway sends has no say in it.
    let maker = FHIRBundleMaker(
      subject: .reference(patient ?? "Patient/1"), gateway: FHIRGateway(id: ""))
    return SinkCapabilities(takesImages: false) { maker.takes($0) }
  }

  /// One bundle at a time, at the pace that is set.
  package var deliverySettings: DeliverySettings { receiver.deliverySettings }

  /// Whether a secret is kept for this way of proving who this host is.
  package var credentialNeed: CredentialUse { authorization.hasSecret ? .required : .none }

  /// The setting with every part checked, the machine as well.
  package func checked(in place: SinkPlace) throws -> FHIRSinkSetting { try checked() }

  /// There is none that does not know which gateway sends.
  ///
  /// - Throws: ``FHIRSinkError`` with code `fhir_auth`.
  package func sink() throws -> any Sink {
    throw FHIRSinkError(
      .authorization, "a FHIR server is told which gateway sends, and nobody says which this is",
      hint: "make the sink with the gateway's id: `sink(of:)`")
  }

  /// A sink that is reached by it.
  package func sink(of gateway: SinkGateway) throws -> any Sink {
    try FHIRSink(self, of: gateway, transport: CurlTransport(settings: transportSettings))
  }

  /// Asks the server who the patient is.
  package func subject(with credential: SinkCredential, of gateway: SinkGateway) async throws -> SinkSubject? {
    try await subject(with: credential, transport: CurlTransport(settings: transportSettings), clock: .system)
  }

  /// - Parameter transport: The way to the server.
  func subject(
    with credential: SinkCredential, transport: any HTTPTransport, clock: any HostClock
  ) async throws -> SinkSubject {
    let tokens = TokenSource(self, transport: transport, clock: clock)
    let server = FHIRServer(address: address, transport: transport, tokens: tokens, clock: clock)
    return try await PatientDesk(setting: self, server: server).patient(credential.token)
  }

  /// The setting with the patient who was found and confirmed.
  package func confirmed(_ subject: SinkSubject) -> FHIRSinkSetting {
    var setting = self
    (setting.patient, setting.confirmedPatient) = (subject.reference, subject.digest)
    return setting
  }
}
