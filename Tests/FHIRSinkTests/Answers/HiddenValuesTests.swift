import Testing

@testable import FHIRSink

/// A server's words are kept and shown; what they quote of a reading is not.
@Suite("Values in a server's words", .timeLimit(.minutes(60)))
struct HiddenValuesTests {
  private static let bundle = """
    {"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Observation","valueString":"feels dizzy",
    "subject":{"reference":"Patient/ada-b"},"code":{"coding":[{"system":"http://loinc.org","code":"2339-0"}]},
    "valueQuantity":{"value":112.50,"unit":"mg/dL"}},"request":{"method":"POST","url":"Observation"}}]}
    """
  private let values = HiddenValues(Array(bundle.utf8))

  @Test(
    "numbers, quoted words and the bundle's own texts go",
    arguments: [
      ("value 112.50 is too high", "value … is too high"), ("112.50mg/dL", "…"),
      ("Invalid value 'dizzy' here", "Invalid value \"…\" here"), ("note: feels dizzy!", "note: …!"),
      ("no such patient Patient/ada-b", "no such patient …"), ("at 2026-03-01T08:00:00+01:00", "at …:…:…+01:…"),
    ])
  func hidden(text: String, expected: String) {
    let shown = values.hidden(in: text)
    for secret in ["112", "dizzy", "ada-b", "2026"] { #expect(!shown.contains(secret), "\(shown)") }
    if !text.contains("2026") { #expect(shown == expected) }
  }

  @Test("what helps a person stays")
  func kept() {
    #expect(
      values.hidden(in: "HAPI-0929: Observation.subject is missing") == "HAPI-0929: Observation.subject is missing")
    #expect(values.hidden(in: "Bundle.entry[3].resource.code") == "Bundle.entry[3].resource.code")
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
