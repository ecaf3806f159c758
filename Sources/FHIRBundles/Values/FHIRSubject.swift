/// Whose readings a FHIR server files.
package enum FHIRSubject: Sendable, Hashable {
  /// A resource of the server, such as `Patient/123`.
  case reference(String)
  /// A patient by an identifier: the server looks for it within the transaction, as a conditional reference
  /// (`Patient?identifier=SYSTEM|VALUE`), and refuses all of it where that is not exactly one.
  case identifier(system: String, value: String)

  /// What a `Reference.reference` says.
  package var reference: String {
    switch self {
    case .reference(let reference): reference
    case .identifier(let system, let value): "Patient?" + FHIRQuery.identifier(system, value)
    }
  }
}
