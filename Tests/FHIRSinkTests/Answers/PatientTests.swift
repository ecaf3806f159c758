import Testing

@testable import FHIRSink
@testable import MeterCore

/// Readings in the record of another person do harm (hazard H97): the server's patient is shown, and has to be exactly one.
@Suite("The patient at a FHIR server", .timeLimit(.minutes(60)))
struct PatientTests {
  private func patient(_ json: String) throws -> PatientResource {
    let resource = try #require(FHIRResource(Array(json.utf8)))
    return try #require(PatientResource(resource))
  }

  @Test("name and birth date are shown")
  func shown() throws {
    let subject = try patient(FHIRTestServer.patient).subject()
    #expect(subject.reference == "Patient/123" && subject.birthDate == "1958-03-07")
    #expect(subject.facts.map(\.value) == ["Patient/123", "Ada B. Example", "1958-03-07", "female"])
  }

  @Test("another name, birth date or gender is another person to a person's word")
  func digest() throws {
    let first = try patient(FHIRTestServer.patient).subject()
    for (old, new) in [("Ada", "Eda"), ("1958-03-07", "1958-03-08"), ("female", "male"), ("\"123\"", "\"124\"")] {
      #expect(try patient(FHIRTestServer.patient.replacing(old, with: new)).subject().digest != first.digest)
    }
    let moved = FHIRTestServer.patient.replacing("\"4711\"", with: "\"4712\"")
    #expect(try patient(moved).subject().digest == first.digest, "an identifier more or less is the same person")
  }

  @Test("no part of one fact passes for another")
  func parts() {
    let one = SinkSubject(reference: "a", facts: [.init("b", "c")], birthDate: nil)
    let other = SinkSubject(reference: "a", facts: [.init("b1:c", "")], birthDate: nil)
    #expect(one.digest != other.digest)
  }

  @Test("what a terminal would act on is not shown")
  func terminal() throws {
    let strange = FHIRTestServer.patient.replacing("Ada", with: "A\\u001b[2Jda\\u202e")
    #expect(try patient(strange).subject().facts.allSatisfy { $0.value.unicodeScalars.allSatisfy { $0.value >= 0x20 } })
  }

  @Test(
    "a record that is not in use is none",
    arguments: [
      (#"{"resourceType":"Patient","id":"1"}"#, false), (#"{"resourceType":"Patient","id":"1","active":false}"#, true),
      (#"{"resourceType":"Patient","id":"1","link":[{"type":"replaced-by"}]}"#, true),
      (#"{"resourceType":"Patient","id":"1","link":[{"type":"seealso"}]}"#, false),
    ])
  func outOfUse(json: String, isOutOfUse: Bool) throws {
    #expect(try patient(json).isOutOfUse == isOutOfUse)
  }

  private func found(_ entries: String, _ more: String = "") -> PatientSearch {
    let json = #"{"resourceType":"Bundle","type":"searchset"\#(more),"entry":[\#(entries)]}"#
    return PatientSearch(Array(json.utf8), system: "https://clinic.example/mrn", value: "4711")
  }

  @Test("one match is needed, and it must have the identifier")
  func search() {
    let hit = #"{"resource":\#(FHIRTestServer.patient)}"#
    guard case .found(let patient) = found(hit, #","total":1"#) else {
      Issue.record("not found")
      return
    }
    #expect(patient.reference == "Patient/123")
    func word(_ search: PatientSearch) -> String {
      switch search {
      case .found: "found"
      case .none: "none"
      case .several: "several"
      case .unclear: "unclear"
      }
    }
    #expect(word(found("", #","total":0"#)) == "none")
    #expect(word(found("\(hit),\(hit)", "")) == "several")
    #expect(word(found(hit, #","total":2"#)) == "several", "the others are on another page")
    #expect(word(found(hit, #","link":[{"relation":"next","url":"x"}]"#)) == "several")
    // A server that looks at no query answers with anybody.
    let other = FHIRTestServer.patient.replacing("\"4711\"", with: "\"4712\"")
    #expect(word(found(#"{"resource":\#(other)}"#)) == "unclear")
    #expect(word(found(#"{"resource":{"resourceType":"OperationOutcome"},"search":{"mode":"outcome"}}"#)) == "none")
    #expect(word(PatientSearch(Array(FHIRTestServer.patient.utf8), system: "s", value: "v")) == "unclear")
  }
}
