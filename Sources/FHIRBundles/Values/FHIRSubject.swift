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

extension FHIRSubject {
  /// The patient of a server by their id there, `Patient/123`; nil for what is not written so.
  package init?(patient text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == "Patient", (1...64).contains(parts[1].utf8.count),
      parts[1].utf8.allSatisfy(Self.isOfID), parts[1].contains(where: { $0 != "." })
    else { return nil }
    self = .reference(text)
  }

  /// A patient by an identifier, `SYSTEM|VALUE`; nil for what is not written so. A value may have a `|`, a system has none.
  package init?(patientIdentifier text: String) {
    let parts = text.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, text.utf8.count <= 512,
      parts[0].utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      parts[1].unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
    else { return nil }
    self = .identifier(system: parts[0], value: parts[1])
  }

  /// What an id of FHIR consists of.
  private static func isOfID(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}
