package import CurlHTTP

/// How a FHIR R4 server is reached, whose readings it gets, and how this host proves who it is (docs/send-to-fhir.md).
///
/// It holds no secret: tokens, passwords and client secrets are the sink's credential, which is kept encrypted, and a private key is in
/// the file that is named here and read each time.
package struct FHIRSinkSetting: Sendable, Hashable {
  /// How this host proves to the server who it is.
  package enum Authorization: String, Sendable, Hashable, Codable, CaseIterable {
    /// By nothing in the request: by a client certificate, or on a network of its own.
    case none
    /// By a token that a person has got from the server's operator (RFC 6750).
    case bearer
    /// By a user's name and password (RFC 7617).
    case basic
    /// By tokens that a client gets for its secret (RFC 6749 section 4.4).
    case clientCredentials = "client-credentials"
    /// By tokens that a client gets for what it signs (SMART Backend Services, RFC 7523).
    case smartBackend = "smart-backend"

    /// Whether the server's tokens are fetched at a token endpoint.
    package var fetchesTokens: Bool { self == .clientCredentials || self == .smartBackend }
    /// Whether a secret is kept for it.
    package var hasSecret: Bool { self == .bearer || self == .basic || self == .clientCredentials }
  }

  /// Who gives observations their ids.
  package enum IDs: String, Sendable, Hashable, Codable, CaseIterable {
    /// The server, as it likes.
    case server
    /// This host: the reading's name is the id, so that no server can have an observation twice.
    case client
  }

  /// The server's base URL without a slash at its end.
  package var address: String
  /// The patient, such as `Patient/123`; nil until an identifier was looked up.
  package var patient: String?
  /// An identifier of the patient, as `SYSTEM|VALUE`.
  package var patientIdentifier: String?
  /// The digest of the patient whom a person has confirmed; nothing is sent without one.
  package var confirmedPatient: String?
  /// How this host proves who it is.
  package var authorization = Authorization.bearer
  /// Where tokens are fetched; nil asks the server (`.well-known/smart-configuration`).
  package var tokenEndpoint: String?
  /// Who this host is to the token endpoint.
  package var clientID: String?
  /// A PEM file with the private key that signs: P-384 or RSA.
  package var keyFile: String?
  /// What the server calls that key (`kid`).
  package var keyID: String?
  /// What is asked for with a token, such as `system/Observation.write`.
  package var scopes: String?
  /// Who gives observations their ids.
  package var ids = IDs.server
  /// A PEM file of certificate authorities instead of the system's.
  package var authorityFile: String?
  /// A PEM file with the certificate that this host shows the server.
  package var clientCertificateFile: String?
  /// A PEM file with the private key of that certificate.
  package var clientKeyFile: String?
  /// The proxy towards the server; nil leaves it to the environment.
  package var proxy: String?
  /// Whose the server may be on this machine, where TLS does not prove it.
  package var receiverUser = ReceiverUser.own
  /// Requests a second at most; nil for as many as the server answers.
  package var requestsPerSecond: Double?

  /// A setting with defaults for all else.
  package init(address: String, patient: String? = nil, patientIdentifier: String? = nil) {
    (self.address, self.patient, self.patientIdentifier) = (address, patient, patientIdentifier)
  }
}
