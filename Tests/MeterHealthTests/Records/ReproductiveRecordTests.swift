import DriverContract
import MeterCore
import Testing

@testable import InformSink
@testable import MeterHealth

@Suite("Records of reproductive health")
struct ReproductiveRecordTests {
  static let words: [(HealthQuantity, String?, String)] = [
    (.menstrualFlow, "Light", #""menstrual_flow":"Light""#),
    (.ovulationTest, "LuteinizingHormoneSurge", #""ovulation_test":"LuteinizingHormoneSurge""#),
    (.cervicalMucus, "EggWhite", #""cervical_mucus":"EggWhite""#),
    (.sexualActivity, nil, #""sexual_activity":"present","protection":"yes""#),
    (.intermenstrualBleeding, "present", #""intermenstrual_bleeding":"present""#),
    (.basalTemperature, nil, #""basal_body_temperature":36.45"#),
  ]

  static func result(_ quantity: HealthQuantity, _ word: String?, temperature: String = "36.45") -> HealthResult {
    var export = Export()
    let value = quantity == .basalTemperature ? temperature : nil
    export.add(quantity, "Cycle", "02 08:00", nil, value) { sample in
      sample.text = word
      if quantity == .sexualActivity { sample.attributes = [HealthAttribute("protection", "yes")] }
    }
    return export.result
  }

  @Test("are biometrics with extras alone, in the Legacy form only", arguments: Self.words)
  func legacy(quantity: HealthQuantity, word: String?, extras: String) throws {
    let result = Self.result(quantity, word)
    #expect(result.withoutForm.isEmpty)
    let drafts = result.drafts(of: .apple, driver: "apple-health", version: "1.0")
    let entry = try #require(drafts.first)
    let record = try entry.draft.record(named: entry.name)
    #expect(drafts.count == 1)
    let document = """
      {"biometrics":{"activity_id":"\(record.logID)","revision":1,"timestamp":"2026-03-02T08:00:00+00:00",\
      "utc_offset":"+00:00","source":"apple_health","source_name":"Cycle","original_source":"Cycle",\
      "intermediary_source":"Apple Health","source_peripheral":"Cycle",\
      "extras":{"origin":"device","offset_origin":"user_defined",\(extras)}}}
      """
    #expect(String(decoding: try LegacyV1Encoder().encode(record), as: UTF8.self) == document)
    let refusal = #expect(throws: EncodingRefusal.self) { try InformV2Encoder().encode(record) }
    #expect(refusal?.code == .nothingToSend)
    #expect(WireFormat.legacyV1.takes(record) && !WireFormat.informV2.takes(record))
  }

  @Test("a basal temperature that no person has is none")
  func temperature() {
    let result = Self.result(.basalTemperature, nil, temperature: "3.5")
    #expect(result.drafts(of: .apple, driver: "apple-health", version: "1.0").isEmpty)
    #expect(result.withoutForm == ["basal_temperature": 1])
  }

  @Test("a changed word is another content of the same record")
  func revision() throws {
    let records = try ["Light", "Heavy"].flatMap { word in
      try Self.result(.menstrualFlow, word).drafts(of: .apple, driver: "apple-health", version: "1.0")
        .map { try $0.draft.record(named: $0.name) }
    }
    #expect(Set(records.map(\.logID)).count == 1)
    #expect(Set(records.map(\.contentHash)).count == 2)
  }
}
