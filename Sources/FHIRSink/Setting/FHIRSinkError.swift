package import HostErrors

/// Why a FHIR server cannot be set up as a receiver of readings.
package struct FHIRSinkError: HostError, Hashable {
  /// Stable names of the reasons.
  package enum Code: String, Sendable, Hashable, CaseIterable {
    /// The patient is not named, or not in the form in which one is.
    case patient = "fhir_patient"
    /// What proves who this host is lacks something, or says what does not belong to it.
    case authorization = "fhir_auth"
    /// The file of the key that signs cannot be read, or holds no such key.
    case keyFile = "fhir_key_file"
    /// The server, or its token endpoint, does not answer as one now.
    case unreachable = "fhir_unreachable"
    /// The server refuses who this host is, or what it asks for.
    case refused = "fhir_refused"
    /// The server knows who this host is, and does not let it see what it asks for.
    case forbidden = "fhir_forbidden"
    /// The server is none that readings can be sent to so that each is there once.
    case unsuitable = "fhir_unsuitable"
    /// The server knows no such patient.
    case noPatient = "fhir_no_patient"
    /// The server knows several such patients.
    case ambiguousPatient = "fhir_ambiguous_patient"
    /// The server says that the patient's record is not in use, or was replaced.
    case inactivePatient = "fhir_inactive_patient"
    /// Nobody has confirmed the patient yet.
    case notConfirmed = "fhir_not_confirmed"
  }

  /// The reason.
  package let code: Code
  /// What is wrong, for people.
  package let message: String
  /// What to do about it.
  package let hint: String?

  package init(_ code: Code, _ message: String, hint: String? = nil) {
    (self.code, self.message, self.hint) = (code, message, hint)
  }

  /// Decides the exit status.
  package var kind: HostErrorKind {
    switch code {
    case .patient, .authorization, .keyFile: .usage
    case .unreachable: .temporary
    case .refused, .forbidden, .unsuitable, .noPatient, .ambiguousPatient, .inactivePatient, .notConfirmed: .failed
    }
  }
}
