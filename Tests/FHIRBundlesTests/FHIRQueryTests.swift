import Testing

@testable import FHIRBundles

/// Search parameters, as they stand in conditional requests.
@Suite("Queries of FHIR servers", .timeLimit(.minutes(60)))
struct FHIRQueryTests {
  @Test("the identifiers of readings are written as they are")
  func plain() {
    let query = FHIRQuery.identifier(FHIRBundleMaker.identifierSystem, "373d2a7f-8dba-882a-99e8-e8b9ce9e423f.pulse")
    #expect(
      query == "identifier=https://meterhost.org/fhir/sid/reading|373d2a7f-8dba-882a-99e8-e8b9ce9e423f.pulse")
  }

  @Test(
    "what would end a parameter, or means something in one, does not",
    arguments: [
      ("a b", "a%20b"), ("a&b=c", "a%26b%3Dc"), ("a+b", "a%2Bb"), ("50%", "50%25"), ("a|b", "a%5C%7Cb"),
      ("a,b", "a%5C%2Cb"), ("a\\b", "a%5C%5Cb"), ("ä", "%C3%A4"), ("a\"b", "a%22b"), ("a#b", "a%23b"), ("a?b", "a%3Fb"),
    ])
  func escaped(value: String, written: String) {
    #expect(FHIRQuery.identifier("urn:x", value) == "identifier=urn:x|" + written)
    #expect(FHIRSubject.identifier(system: "urn:x", value: value).reference == "Patient?identifier=urn:x|" + written)
  }

  @Test("a patient is named by an id at the server", arguments: ["Patient/123", "Patient/a-B.9"])
  func patients(text: String) {
    #expect(FHIRSubject(patient: text) == .reference(text))
  }

  @Test(
    "and by nothing that leads elsewhere",
    arguments: [
      "", "123", "Patient/", "Patient/..", "Patient/a/b", "Patient/a?b", "Patient/a b", "patient/1", "Group/1",
      "https://x/Patient/1", "Patient/" + String(repeating: "1", count: 65),
    ])
  func noPatients(text: String) {
    #expect(FHIRSubject(patient: text) == nil)
  }

  @Test("a patient's identifier has a system and a value, which may have a bar")
  func identifiers() {
    #expect(FHIRSubject(patientIdentifier: "urn:oid:1.2|4|7 1") == .identifier(system: "urn:oid:1.2", value: "4|7 1"))
    for text in [
      "", "4711", "|4711", "urn:x|", "urn:x y|1", "urn:x|a\nb", "urn:x|" + String(repeating: "1", count: 512),
    ] {
      #expect(FHIRSubject(patientIdentifier: text) == nil, "\(text)")
    }
  }
}
