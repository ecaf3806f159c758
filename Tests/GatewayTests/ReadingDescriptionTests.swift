import Foundation
import MeterCore
import Testing

@testable import GatewayAPI
@testable import GatewayEngine

/// What a person is shown of a reading before they decide about it.
@Suite("A reading in words") struct ReadingDescriptionTests {
  private func described(_ members: String) throws -> ReadingDescription {
    let document = try RecordDocument(
      Array(#"{"time": "2026-07-01T08:00:00Z", \#(members)}"#.utf8), name: "test", zone: .gmt)
    return ReadingDescription(
      try #require(document.entries.first).record(), state: "held", reason: "awaiting_confirmation", isWhole: true)
  }

  @Test(
    "has every value, in one line and in lines",
    arguments: [
      (
        """
        "type": "biometrics", "values": [
          {"metric": "systolic", "value": 121, "unit": "mm[Hg]"}, {"metric": "diastolic", "value": 79, "unit": "mm[Hg]"},
          {"metric": "pulse", "value": 64, "unit": "/min"}]
        """, ["systolic 121 mmHg", "diastolic 79 mmHg", "64 bpm"]
      ),
      (
        """
        "type": "biometrics", "values": [
          {"metric": "spo2", "value": 97, "unit": "%"}, {"metric": "heart_rate", "value": 58, "unit": "/min"}]
        """, ["spo2 97 %", "58 bpm"]
      ),
      (
        """
        "type": "weight", "values": [
          {"metric": "body_weight", "value": 70.50, "unit": "kg"}, {"metric": "body_fat", "value": 21.0, "unit": "%"}]
        """, ["body_weight 70.50 kg", "21.0 %"]
      ),
      (
        """
        "type": "diabetes", "values": [
          {"metric": "blood_glucose", "value": 600, "unit": "mg/dL", "qualifier": "above"},
          {"metric": "relationship_to_meal", "value": "fasting"}]
        """, ["blood_glucose above 600 mg/dL", "fasting"]
      ),
      (
        """
        "type": "diabetes", "values": [
          {"metric": "blood_glucose", "value": 20, "unit": "mg/dL", "qualifier": "below"},
          {"metric": "blood_ketone", "value": 0.4, "unit": "mmol/L", "qualifier": "questionable"}],
        "notes": [{"text": "felt dizzy\\nsystolic 120"}], "tags": [{"name": "ward", "value": "3b\\nsystolic 120"}],
        "extras": {"strip": "A7\\npulse 60", "warm": true}
        """,
        [
          "blood_glucose below 20 mg/dL", "blood_ketone questionable 0.4 mmol/L", "felt dizzy systolic 120",
          "ward=3b systolic 120", "strip=A7 pulse 60", "warm=true",
        ]
      ),
      (
        """
        "type": "sleep", "end": "2026-07-01T15:00:00Z", "values": [{"metric": "sleep_duration", "value": 400, "unit": "min"}],
        "segments": [{"name": "rem", "values": [{"metric": "rem_sleep", "value": 90, "unit": "min"}]},
          {"name": "deep", "values": [{"metric": "deep_sleep", "value": 80, "unit": "min"}]}]
        """, ["sleep_duration 400 min", "rem", "90 min", "deep", "80 min"]
      ),
    ])
  func values(members: String, shown: [String]) throws {
    let reading = try described(members)
    for text in shown {
      #expect(reading.summary.contains(text), "\(text) in \(reading.summary)")
      #expect(reading.lines.contains { $0.contains(text) }, "\(text) in \(reading.lines)")
    }
    #expect(reading.text == "\(reading.summary)  (held: awaiting_confirmation)")
    #expect(!reading.lines.contains { $0.contains("\n") } && !reading.summary.contains("\n"))
  }

  @Test("of a series has every value where it is shown alone, and its bounds in a list")
  func series() throws {
    let members = """
      "type": "cgm", "end": "2026-07-01T09:00:00Z", "channels": [{"metric": "blood_glucose", "unit": "mg/dL", "points": [
        {"time": "2026-07-01T08:00:00Z", "value": 101}, {"time": "2026-07-01T08:05:00Z", "value": 87},
        {"time": "2026-07-01T08:10:00Z", "value": 142}]}]
      """
    let whole = try described(members)
    #expect(whole.summary.contains("3 of blood_glucose from 87 to 142 mg/dL"), "\(whole.summary)")
    for point in ["2026-07-01T08:00:00Z  101", "2026-07-01T08:05:00Z  87", "2026-07-01T08:10:00Z  142"] {
      #expect(whole.lines.contains { $0.hasSuffix(point) }, "\(whole.lines)")
    }
    #expect(whole.details?.series?.first?.points?.count == 3)
  }

  @Test("tells a food, a mark and a text of the meter, and says nothing of what is not there")
  func parts() throws {
    let food = try described(
      """
      "type": "nutrition", "values": [{"metric": "energy_consumed", "value": 300, "unit": "kcal"}],
      "segments": [{"name": "Breakfast", "values": [], "foods": [{"name": "Bread", "brand": "Mill", "serving_amount": 2,
        "serving_unit": "slice", "values": [{"metric": "protein", "value": 6, "unit": "g"}]}]}]
      """)
    #expect(food.lines.contains("  Bread (Mill) (2 slice): protein 6 g"), "\(food.lines)")
    #expect(food.notes == nil && food.flags == nil && food.details?.series == nil)
    let control = Record(
      logID: .live(submission: UUID(), number: 0), identityClass: .live, type: .diabetes,
      time: .utc(1_790_000_000_000_000, zone: .gmt, source: .gateway), values: [],
      source: RecordSource(
        peripheralID: 1, manufacturer: nil, model: nil, deviceID: "", driverID: "d", driverVersion: "1"),
      flags: [.control, .clockSuspect])
    let marked = ReadingDescription(control, state: "held", reason: "clock_suspect")
    #expect(marked.flags == ["control", "clock_suspect"])
    #expect(marked.summary.hasSuffix("[control], [clock suspect]"), "\(marked.summary)")
  }

  @Test func aTextFromOutsideIsOneLine() {
    #expect("r1\n  reading     body_weight 1 kg".inOneLine == "r1   reading     body_weight 1 kg")
  }
}
