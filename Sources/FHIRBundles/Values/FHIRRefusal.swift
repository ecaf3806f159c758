package import HostErrors

/// Why a record has no form in FHIR. It is whole, and other sinks take it.
package struct FHIRRefusal: HostError, Hashable {
  /// Stable names of the reasons.
  package enum Code: String, Sendable, Hashable, CaseIterable {
    /// None of its own measured values has a code of LOINC or IEEE 11073-10101.
    case noCode = "fhir_no_code"
    /// It was measured with control solution: no value of a person.
    case control = "fhir_control"
    /// It is progress and no result, or the meter has taken its first revision back.
    case notFinal = "fhir_not_final"
    /// It holds series, for which there is no form here.
    case series = "fhir_series"
    /// A value's metric or unit is newer than this host.
    case unknown = "fhir_unknown"
    /// A number cannot be written, or cannot be converted into the unit that the profile demands.
    case number = "fhir_number"
    /// The same measured value is there twice.
    case duplicate = "fhir_duplicate"
  }

  /// The reason.
  package let code: Code
  /// What is wrong with the record; it holds no health value.
  package let message: String

  package init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

  /// The record itself is whole.
  package var kind: HostErrorKind { .failed }
}
