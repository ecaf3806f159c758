/// A code of a code system.
struct Coding: Sendable, Hashable {
  let system: String
  let code: String
  /// What the code system calls it; nil where that is not known for sure.
  let display: String?

  init(_ system: String, _ code: String, _ display: String? = nil) {
    (self.system, self.code, self.display) = (system, code, display)
  }

  /// A code of LOINC. Its names are LOINC's own and left to it.
  static func loinc(_ code: String) -> Coding { Coding("http://loinc.org", code) }

  /// A term of IEEE 11073-10101, as partition * 65536 + term.
  static func mdc(_ term: Int) -> Coding {
    Coding("urn:iso:std:iso:11073:10101", String(term), Nomenclature.referenceIDs[term])
  }

  /// A metric that neither of both has a code for, by its name in this host's dictionary.
  static func own(_ metric: String) -> Coding { Coding("https://meterhost.org/fhir/CodeSystem/metric", metric) }

  /// A bit of a status, counted from the most significant one as the implementation guide does: 0 for bit 0 of the guide's tables.
  static func bit(_ bit: Int, of term: Int, _ name: String) -> Coding {
    Coding("http://terminology.hl7.org/CodeSystem/ASN1ToHL7", "\(term).\(bit)", name)
  }

  /// Every observation of a meter.
  static let deviceObservation = Coding("http://hl7.org/fhir/uv/phd/CodeSystem/PhdObservationCategories", "phd")
  /// What FHIR calls a vital sign.
  static let vitalSigns = Coding("http://terminology.hl7.org/CodeSystem/observation-category", "vital-signs")
  /// The meter itself doubts the value.
  static let questionable = Coding("http://hl7.org/fhir/uv/pocd/CodeSystem/measurement-status", "questionable")
}

/// What something is, in one code system or several.
struct Concept: Sendable, Hashable {
  let codings: [Coding]
  let text: String?

  init(_ codings: [Coding], text: String? = nil) { (self.codings, self.text) = (codings, text) }

  init(_ coding: Coding, text: String? = nil) { self.init([coding], text: text) }
}

/// What people read of the dictionary's names: `blood_glucose` as words.
func spelledOut(_ name: String) -> String { String(name.map { $0 == "_" ? " " : $0 }) }
