import Foundation
import MeterCore
import InformSink
import GatewayAPI
import GatewayEngine
import TestSupport
import Testing

/// Records that were written down, and everything that may be wrong with them.
@Suite struct RecordDocumentTests {
  private static let berlin = TimeZone(identifier: "Europe/Berlin") ?? .gmt
  private static let whole = """
    {"type": "nutrition", "time": "2026-03-29T07:00:00", "end": "2026-03-29T08:00:00", "zone": "Europe/Berlin",
     "log_id": "0b0c7d5e-2a53-4f0e-9a77-6a2f5e3f2b10", "id": "r1", "origin": "device",
     "source": {"device_id": "scale-1", "manufacturer": "Example", "model": "Scale"},
     "values": [{"metric": "carbohydrate", "value": 60.50, "unit": "g", "qualifier": "above"}],
     "notes": [{"text": "breakfast"}, {"field": "meal", "text": "breakfast"}],
     "tags": [{"name": "place", "value": "home"}], "extras": {"a": 1.5, "b": "x", "c": true},
     "segments": [{"name": "meal", "start": "2026-03-29T07:10:00+02:00", "end": "2026-03-29T07:20:00+02:00",
       "values": [{"metric": "protein", "value": "5", "unit": "g"}],
       "foods": [{"name": "bread", "brand": "Mill", "serving_amount": 2, "serving_unit": "slice",
         "values": [{"metric": "fat", "value": 1, "unit": "g"}]}]}]}
    """

  private func document(_ text: String) throws(GatewayError) -> RecordDocument {
    try RecordDocument(Array(text.utf8), name: "records.json", zone: Self.berlin)
  }

  @Test func everyMemberIsRead() throws {
    let entry = try #require(try document(Self.whole).entries.first)
    let record = try entry.record()
    #expect(record.type == .nutrition && record.origin == .device && entry.receiverID == "r1")
    #expect("\(record.logID)" == "0b0c7d5e-2a53-4f0e-9a77-6a2f5e3f2b10")
    #expect(record.values.first?.number.description == "60.50" && record.values.first?.qualifier == .above)
    // The clocks go forward on that day at two.
    #expect(record.time.startMicroseconds == 1_774_760_400_000_000 && record.time.utcOffsetSeconds == 7200)
    #expect(record.time.zoneSource == .user)
    #expect(record.source.deviceID == "scale-1" && record.source.model == "Scale")
    #expect(record.details?.segments.first?.foods.first?.name == "bread")
    #expect(record.details?.tags.count == 1 && record.details?.extras.count == 3)
  }

  @Test(
    "metrics may have the names that Inform has for them; type and unit tell apart what has one",
    arguments: [
      ("nutrition", "carbohydrate", "g", 0x7401), ("diabetes", "carbohydrate", "g", 101),
      ("weight", "body_water", "kg", 48), ("weight", "body_water", "%", 0x7021),
      ("weight", "body_lean_mass", "kg", 47), ("biometrics", "pulse", "/min", 23),
      ("biometrics", "heart_rate", "/min", 24),
    ] as [(String, String, String, UInt16)])
  func informNames(type: String, metric: String, unit: String, code: UInt16) throws {
    // Carbohydrate is a fact beside a glucose value.
    let glucose = type == "diabetes" ? #", {"metric": "blood_glucose", "value": 112, "unit": "mg/dL"}"# : ""
    let text = """
      {"type": "\(type)", "time": "2026-07-01T08:00:00Z",
       "values": [{"metric": "\(metric)", "value": 60, "unit": "\(unit)"}\(glucose)]}
      """
    let record = try #require(try document(text).entries.first).record()
    #expect(record.values.first?.metric == code)
  }

  @Test func aDateAloneIsItsMidnight() throws {
    let text = """
      {"type": "weight", "time": "2026-07-01", "values": [{"metric": "body_weight", "value": 70.5, "unit": "kg"}]}
      """
    let time = try #require(try document(text).entries.first).record().time
    #expect(try time == RecordTime.written("2026-07-01T00:00", zone: Self.berlin, source: .gateway))
    #expect(time.utcOffsetSeconds == 7200 && time.endMicroseconds == time.startMicroseconds)
  }

  @Test("a blood pressure whose values were exchanged is refused", arguments: [("80", "130"), ("120", "120")])
  func exchangedPressures(systolic: String, diastolic: String) throws {
    let text = """
      {"type": "biometrics", "time": "2026-07-01T08:00:00Z", "values": [
        {"metric": "systolic", "value": \(systolic), "unit": "mm[Hg]"},
        {"metric": "diastolic", "value": \(diastolic), "unit": "mm[Hg]"}]}
      """
    var entry = try #require(try document(text).entries.first)
    #expect {
      try entry.record()
    } throws: {
      guard let error = $0 as? GatewayError else { return false }
      return error.code == "implausible" && error.message.hasPrefix("records.json:1:1: ")
    }
    entry.draft.keepsImplausible = true
    #expect(throws: Never.self) { try entry.record() }
  }

  @Test func seriesAreRead() throws {
    let text = """
      {"type": "intraday", "time": "2026-03-01T00:00:00Z", "end": "2026-03-01T01:00:00Z",
       "granularity": {"interval": 30, "unit": "min"},
       "channels": [{"metric": "pulse", "unit": "/min", "points": [
         {"time": "2026-03-01T00:00:00Z", "value": 61}, {"time": "2026-03-01T00:30:00Z", "value": 63, "scheduled": true}]}]}
      """
    let record = try #require(try document(text).entries.first).record()
    #expect(record.details?.series?.channels.first?.points.count == 2)
  }

  @Test("one object, an array and lines", arguments: [(1, "%"), (2, "[%, %]"), (3, "%\n%\n\n%\n")])
  func forms(_ count: Int, _ form: String) throws {
    let line = #"{"type": "routine", "day": "2026-03-28", "values": [{"metric": "steps", "value": 8123}]}"#
    let entries = try document(form.replacing("%", with: line)).entries
    #expect(entries.count == count)
    #expect(try Set(entries.map { try $0.record().logID }).count == count, "each has a name of its own")
  }

  @Test("what people enter is no device's", arguments: [("", "manual"), (#""origin": "unknown","#, "submission")])
  func entered(member: String, source: String) throws {
    let line = """
      {"type": "weight", "time": "2026-03-01T07:00:00Z", \(member)
       "values": [{"metric": "body_weight", "value": 80, "unit": "kg"}]}
      """
    let record = try #require(try document(line).entries.first).record()
    #expect(record.source.deviceID.isEmpty)
    let inform = String(decoding: try InformV2Encoder().encode(record), as: UTF8.self)
    #expect(inform.contains(#""source":{"type":"\#(source)","device":null}"#), "\(inform)")
    let legacy = String(decoding: try LegacyV1Encoder().encode(record), as: UTF8.self)
    #expect(legacy.contains(#""source":"\#(source)","source_name":"\#(source)""#), "\(legacy)")
    #expect(!legacy.contains("device_id"))
  }

  @Test func sumsThatPeopleEnterHaveNamesOfTheirOwn() throws {
    let line = """
      {"type": "routine", "day": "2026-03-28", "summary": {"kind": "steps", "interval": "2026-03-28"}, SOURCE
       "values": [{"metric": "steps", "value": 1}]}
      """
    func name(_ source: String) throws -> LogID {
      try #require(try document(line.replacing("SOURCE", with: source)).entries.first).record().logID
    }
    #expect(try name("") == LogID.summary(source: Array("manual".utf8), kind: "steps", interval: "2026-03-28"))
    #expect(try name(#""source": {"device_id": "watch"},"#) != name(""))
  }

  @Test func aSummaryKeepsItsName() throws {
    let line = """
      {"type": "routine", "day": "2026-03-28", "summary": {"kind": "steps", "interval": "2026-03-28"},
       "source": {"device_id": "watch"}, "values": [{"metric": "steps", "value": NUMBER}]}
      """
    let names = try ["1", "2"].map { number in
      try #require(try document(line.replacing("NUMBER", with: number)).entries.first).record().logID
    }
    #expect(names[0] == names[1])
  }

  static let faults: [(text: String, wanted: [String])] = [
    ("", ["records.json"]), ("[]", ["no records"]), ("7", ["an object"]), ("{", ["records.json:1:"]),
    (#"{"type": "x", "time": "2026-03-01T00:00:00Z"}"#, ["$.type", "biometrics"]),
    (#"{"time": "2026-03-01T00:00:00Z"}"#, ["$.type", "missing"]),
    (#"{"type": "weight"}"#, ["time"]),
    (#"{"type": "weight", "time": "yesterday"}"#, ["$.time", "2026"]),
    (#"{"type": "weight", "day": "2026-02-30"}"#, ["$.time"]),
    (#"{"type": "weight", "time": "2026-03-01T00:00:00Z", "valeus": []}"#, ["valeus", "values"]),
    (#"{"type": "weight", "time": "2026-03-01T00:00:00Z", "values": {}}"#, ["$.values", "array"]),
    (
      #"{"type": "weight", "time": "2026-03-01T00:00:00Z", "values": [{"metric": "x"}]}"#,
      ["values[0].value", "missing"]
    ),
    (#"{"type": "weight", "time": "2026-03-01T00:00:00Z", "zone": "Mars/Base"}"#, ["$.zone", "Mars"]),
    (#"{"type": "weight", "time": "2026-03-01T00:00:00Z", "zone": "BST"}"#, ["$.zone", "Europe/Berlin"]),
    (#"{"type": "weight", "time": "now"}"#, ["$.time", "2026"]),
    (#"{"type": "weight", "time": "2026-03-01T00:00:00Z", "log_id": "7"}"#, ["$.log_id", "UUID"]),
    (#"{"type": "weight", "time": "2026-03-01T00:00:00Z", "origin": "me"}"#, ["$.origin", "manual"]),
    (#"{"type": "weight", "time": "2026-03-01T00:00:00Z", "extras": {"a": null}}"#, ["extras", "null"]),
    (#"{"type": "weight", "type": "weight", "time": "2026-03-01T00:00:00Z"}"#, ["records.json:1:"]),
    ("{\"type\": \"weight\"}\n{\"type\": 7}", ["records.json"]),
  ]

  @Test("a fault is told with its place and a cure", arguments: faults)
  func fault(_ text: String, _ wanted: [String]) {
    #expect { try document(text) } throws: { error in
      guard let error = error as? GatewayError, error.code == "record_document", error.hint != nil else { return false }
      return wanted.allSatisfy(error.message.contains)
    }
  }

  @Test func aValueThatCannotBeNamesItsDocument() throws {
    let text = #"{"type": "weight", "time": "2026-03-01T00:00:00Z", "values": [{"metric": "steps", "value": 1}]}"#
    let entry = try #require(try document(text).entries.first)
    #expect { try entry.record() } throws: { error in
      guard let error = error as? GatewayError else { return false }
      return error.code == "not_of_type" && error.message.contains("records.json:1:1: values[0]")
    }
  }

  @Test("mutated documents are read or refused, and never more")
  func mutations() {
    var generator = SeededGenerator(seed: 11)
    let text = Array(Self.whole.utf8)
    var taken = 0
    for _ in 0..<4_000 {
      var bytes = text
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes.remove(at: place)
        default: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &generator)], at: place)
        }
      }
      guard let entries = try? RecordDocument(bytes, name: "x", zone: Self.berlin).entries else { continue }
      for entry in entries {
        guard let record = try? entry.record() else { continue }
        taken += 1
        #expect(record.values.allSatisfy { $0.number.doubleValue.isFinite })
      }
    }
    #expect(taken > 0, "a changed letter of a note is no fault")
  }

  @Test(
    "values on the command line",
    arguments: [
      ("steps=8123", WrittenForm(metric: "steps", number: "8123", unit: nil)),
      ("blood_glucose=6.20 mmol/L", WrittenForm(metric: "blood_glucose", number: "6.20", unit: "mmol/L")),
      ("steps", nil), ("=1", nil), ("steps=", nil),
      ("systolic=120 mm Hg", WrittenForm(metric: "systolic", number: "120", unit: "mm[Hg]")), ("a=1 g per day", nil),
    ])
  func writtenValue(_ text: String, _ wanted: WrittenForm?) {
    let value = WrittenValue(text).map { WrittenForm(metric: $0.metric, number: $0.number, unit: $0.unit) }
    #expect(value == wanted)
  }

  struct WrittenForm: Equatable, Sendable {
    let metric: String
    let number: String
    let unit: String?
  }
}
