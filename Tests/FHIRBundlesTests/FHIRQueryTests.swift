import Testing

@testable import FHIRBundles

/// Search parameters, as they stand in conditional requests.
@Suite("Queries of FHIR servers", .timeLimit(.minutes(10)))
struct FHIRQueryTests {
  @Test("the identifiers of readings are written as they are")
  func plain() {
    let query = FHIRQuery.identifier(FHIRBundleMaker.identifierSystem, "373d2a7f-8dba-882a-99e8-e8b9ce9e423f.pulse")
    #expect(
      query == "identifier=https://meterhost.org/fhir/sid/log-id|373d2a7f-8dba-882a-99e8-e8b9ce9e423f.pulse")
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
}
