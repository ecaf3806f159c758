import Testing

@testable import FHIRSink

/// A server's words are kept and shown; what they quote of a reading is not.
@Suite("Values in a server's words", .timeLimit(.minutes(60)))
struct HiddenValuesTests {
  private static let bundle = """
    {"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Observation","valueString":"feels dizzy",
    "subject":{"reference":"Patient/ada-b"},"code":{"coding":[{"system":"http://loinc.org","code":"2339-0"}]},
    "valueQuantity":{"value":112.50,"unit":"mg/dL"},"component":[{"valueCodeableConcept":{"coding":[
    {"system":"urn:iso:std:iso:11073:10101","code":"8417832","display":"menses"}]}}]},"request":{"method":"POST","url":"Observation"}}]}
    """
  private let values = HiddenValues(Array(bundle.utf8))

  @Test(
    "numbers, quoted words and the bundle's own texts go",
    arguments: [
      ("value 112.50 is too high", "value … is too high"), ("112.50mg/dL", "…"),
      ("Invalid value 'dizzy' here", "Invalid value \"…\" here"), ("note: feels dizzy!", "note: …!"),
      ("SpO2 [87] too low", "… […] too low"), ("Value.is [87]", "Value.is […]"), ("glucose[87]", "glucose[…]"),
      ("glucose.value[87]", "glucose.value[…]"), ("Bundle.entry[87 mg]", "Bundle.entry[… mg]"),
      ("no menses in this set", "no … in this set"), ("no such patient Patient/ada-b", "no such patient …"),
      ("at 2026-03-01T08:00:00+01:00", "at …:…:…+01:…"),
    ])
  func hidden(text: String, expected: String) {
    let shown = values.hidden(in: text)
    for secret in ["112", "87", "dizzy", "menses", "ada-b", "2026"] { #expect(!shown.contains(secret), "\(shown)") }
    if !text.contains("2026") { #expect(shown == expected) }
  }

  @Test("what helps a person stays")
  func kept() {
    #expect(
      values.hidden(in: "HAPI-0929: Observation.subject is missing") == "HAPI-0929: Observation.subject is missing")
    #expect(values.hidden(in: "Bundle.entry[3].resource.code") == "Bundle.entry[3].resource.code")
    let component = "Bundle.entry[3].resource.component[12].value"
    #expect(values.hidden(in: component) == component)
    #expect(values.hidden(in: "Bundle.entry[342].resource").contains("342") == false)
  }

  @Test("an outcome is one line without values")
  func outcome() throws {
    let body = FHIRTestServer.body("value", "Value 112.50\nis \"too\" high")
    let outcome = try #require(OperationOutcome(Array(body.utf8)))
    #expect(outcome.text(hiding: values) == "value: Value … is \"…\" high")
    let strange = try #require(OperationOutcome(Array(FHIRTestServer.body("5.4 mmol/L", "").utf8)))
    #expect(strange.text(hiding: values) == "…")
  }

  @Test("a long text is not kept")
  func long() {
    #expect(values.hidden(in: String(repeating: "x", count: 5_000)) == "(too long to be shown)")
  }
}
