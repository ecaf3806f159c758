import GatewayAPI
import Testing

@testable import GatewayTools

@Suite struct CandidatesTests {
  private let meters = Candidates(
    [
      .init(id: "5b0c8e2e-91b4-8d4c-a1f0-3c2f6f0f7a11", names: ["Contour7800", "54:6C:0E:78:00:01"]),
      .init(id: "5b0c8e2f-0000-8d4c-a1f0-3c2f6f0f7a11", names: ["AccuChek"]),
      .init(id: "9b0c8e2f-0000-8d4c-a1f0-3c2f6f0f7a11", names: ["AccuChek"]),
    ], kind: "meter", codes: ("unknown_meter", "ambiguous_meter"), hint: "`meterhost meters` shows them")

  @Test(arguments: [
    "5b0c8e2e", "5B0C8E2E-91", "contour7800", "54:6c:0e:78:00:01", "5b0c8e2e-91b4-8d4c-a1f0-3c2f6f0f7a11",
  ])
  func whatOneFitsIsThatOne(text: String) throws {
    #expect(try meters.one(text) == "5b0c8e2e-91b4-8d4c-a1f0-3c2f6f0f7a11")
  }

  @Test(arguments: [
    ("5b0c8e2", "ambiguous_meter"), ("accuchek", "ambiguous_meter"), ("5b0", "unknown_meter"), ("", "unknown_meter"),
    ("ffff", "unknown_meter"), ("contour780", "unknown_meter"),
  ])
  func whatNoneOrSeveralFitIsRefused(text: String, code: String) {
    let error = #expect(throws: GatewayError.self) { try meters.one(text) }
    #expect(error?.code == code)
    if code == "ambiguous_meter" { #expect(error?.message.contains("5b0c8e2f-0000") == true) }
    if text == "contour780" { #expect(error?.hint?.contains("did you mean contour7800?") == true) }
  }

  @Test func aNameThatIsTheBeginningOfAnIdIsTheName() throws {
    let mixed = Candidates(
      [.init(id: "abcd-1", names: ["efgh"]), .init(id: "efgh-2")], kind: "meter", codes: ("u", "a"), hint: "")
    #expect(try mixed.one("efgh") == "abcd-1")
  }
}

@Suite struct UnitSpellingTests {
  @Test(arguments: [
    ("systolic=121 mmHg", "mm[Hg]"), ("systolic=121 mm Hg", "mm[Hg]"), ("systolic=121 mm[Hg]", "mm[Hg]"),
    ("weight=150 lb", "[lb_av]"), ("weight=70 kg", "kg"), ("body_temperature=37 C", "Cel"),
    ("body_temperature=98.6 °F", "[degF]"), ("body_temperature=98.6 F", "[degF]"), ("blood_glucose=112 mg/dl", "mg/dL"),
    ("blood_glucose=6.2 mmol/l", "mmol/L"), ("spo2=97 %", "%"), ("pulse=64 bpm", "/min"), ("x=1 furlong", "furlong"),
    ("height=1.8 m", "m"), ("rest=5 min", "min"),
  ])
  func whatPeopleWriteIsTheUnit(text: String, unit: String) { #expect(WrittenValue(text)?.unit == unit) }

  @Test(arguments: ["systolic=121 mm Hg now", "=1", "systolic", "systolic="])
  func whatIsNoValueIsNone(text: String) { #expect(WrittenValue(text) == nil) }
}
