import Testing

@testable import MeterReceiver

@Suite struct RecordValidatorTests {
  private let validator = RecordValidator(vocabulary: .standard)

  private func fields(_ record: JSONObject) -> [String] {
    do {
      _ = try validator.validate(.object(record))
      return []
    } catch {
      return error.reasons.map(\.field)
    }
  }

  private func metric(_ type: String, _ unit: String, _ value: Double) -> JSONValue {
    .object([
      "type": .string(type), "origin": .string("device"), "unit": .string(unit), "value": .number(value),
    ])
  }

  @Test func acceptsTheSample() throws {
    let valid = try validator.validate(.object(measurementObject()))
    #expect(valid.logID == "0189d8a1-5b0c-8f00-8000-000000000001")
    #expect(valid.revision == 1)
    #expect(valid.startTime == UTCTimestamp("2018-09-20T05:27:07Z"))
    #expect(valid.content.hasPrefix("{\"end_time\":"))
  }

  @Test func checksumIsSHA256OfTheCanonicalContent() throws {
    // Made with: printf '%s' CONTENT | sha256sum
    let content = """
      {"end_time":"2018-09-20T05:27:07Z","log_id":"0189d8a1-5b0c-8f00-8000-000000000001","metrics":[{"origin":"device",\
      "type":"blood_glucose","unit":"mg/dL","value":111}],"offset_origin":"source","revision":1,"source":{"device":\
      {"id":"1000","manufacturer":"Ascensia","model":"Contour Next One"},"type":"meterhost"},"start_time":\
      "2018-09-20T05:27:07Z","tags":[{"name":"sequence","value":"30"}],"type":"measurement","user_notes":[],\
      "utc_offset":-25200,"version":"1.0"}
      """
    let valid = try validator.validate(.object(measurementObject()))
    #expect(valid.content == content)
    #expect(valid.checksum == "87c0a4be78dff41aae9d52a7ad421e67fb115bd131537fd1a41bb78d93ecc4cc")
  }

  /// Every required member, missing and of every wrong kind.
  @Test(arguments: ["log_id", "type", "start_time", "end_time", "metrics", "source", "version"])
  func requiredMembers(name: String) {
    var record = measurementObject()
    record[name] = nil
    #expect(fields(record) == [name])
    for wrong: JSONValue in [.null, .bool(true), .number(1), .string(""), .array([]), .object([:])] {
      record[name] = wrong
      let found = fields(record)
      #expect(!found.isEmpty && found.allSatisfy { $0.hasPrefix(name) }, "\(wrong)")
    }
  }

  @Test(arguments: [
    ("blood_glucose", "mg/dL", 111.0), ("blood_glucose", "mmol/L", 5.9), ("body_temperature", "Cel", 36.8),
    ("body_temperature", "[degF]", 98.6), ("systolic", "mm[Hg]", 120), ("diastolic", "mm[Hg]", 80),
    ("pulse", "/min", 72), ("resting_heart_rate", "/min", 51), ("spo2", "%", 97), ("body_weight", "kg", 80.4),
    ("body_weight", "[lb_av]", 177.2), ("inr", "{INR}", 2.5), ("blood_ketone", "mmol/L", 0.4),
    ("systolic", "mmHg", 120), ("diastolic", "mmHg", 80), ("pulse", "bpm", 72), ("max_heart_rate", "bpm", 172),
  ])
  func acceptsMetricsInTheirUnits(type: String, unit: String, value: Double) {
    #expect(fields(measurementObject { $0["metrics"] = .array([metric(type, unit, value)]) }) == [])
  }

  @Test(arguments: [
    ("blood_glucose", "mg/dL", 5.9, "value"), ("blood_glucose", "mmol/L", 106, "value"),
    ("blood_glucose", "mg/dL", 0, "value"), ("blood_glucose", "mg/dL", -10_000, "value"),
    ("blood_glucose", "mg/dL", 3_000_000, "value"), ("blood_glucose", "mg/dl", 111, "unit"),
    ("blood_glucose", "kg/L", 111, "unit"), ("blood_glucose", "Cel", 37, "unit"),
    ("Blood_Glucose", "mg/dL", 111, "type"),
    ("mood", "%", 50, "type"), ("body_temperature", "Cel", 98.6, "value"), ("body_temperature", "[degF]", 37, "value"),
    ("systolic", "mmhg", 120, "unit"), ("systolic", "mmHg", 1200, "value"),
    ("spo2", "%", 101, "value"), ("spo2", "%", 0, "value"),
    ("pulse", "count", 72, "unit"), ("blood_glucose", "mmHg", 111, "unit"),
    ("body_weight", "lb", 177, "unit"), ("inr", "%", 2.5, "unit"),
  ])
  func refusesWrongUnitsAndAbsurdValues(type: String, unit: String, value: Double, field: String) {
    #expect(
      fields(measurementObject { $0["metrics"] = .array([metric(type, unit, value)]) }) == ["metrics[0].\(field)"])
  }

  /// Inform's public examples write some units in words of their own: one content in two spellings is one content.
  @Test(arguments: [("systolic", "mm[Hg]", "mmHg", 120.0), ("pulse", "/min", "bpm", 72)])
  func spellingsOfAUnitAreOneContent(type: String, ucum: String, word: String, value: Double) throws {
    let (first, second) = try (
      validator.validate(.object(measurementObject { $0["metrics"] = .array([metric(type, ucum, value)]) })),
      validator.validate(.object(measurementObject { $0["metrics"] = .array([metric(type, word, value)]) }))
    )
    #expect(first.checksum == second.checksum)
    #expect(first.content.contains(ucum) && second.content.contains(word), "it comes back as it was sent")
    let other = measurementObject { $0["metrics"] = .array([metric(type, word, value + 1)]) }
    #expect(try validator.validate(.object(other)).checksum != first.checksum)
    // Only units of metrics have spellings.
    let tags = try ["bpm", "/min"].map { text in
      try validator.validate(
        .object(
          measurementObject { $0["tags"] = .array([.object(["name": .string("unit"), "value": .string(text)])]) }))
    }
    #expect(tags[0].checksum != tags[1].checksum)
  }

  @Test func reasonsNeverQuoteTheValue() throws {
    let record = measurementObject { $0["metrics"] = .array([metric("blood_glucose", "mg/dL", 7_654_321)]) }
    let error = try #require(throws: FieldErrors.self) { try validator.validate(.object(record)) }
    #expect(!error.json.text.contains("7654321"))
    #expect(error.json.text.contains("10 to 1000 mg/dL"))
  }

  @Test func vocabularyIsTheCallers() throws {
    let own = RecordValidator(vocabulary: .init(metrics: ["grip": ["N": 0...1000]]))
    _ = try own.validate(.object(measurementObject { $0["metrics"] = .array([metric("grip", "N", 300)]) }))
    #expect(throws: FieldErrors.self) { try own.validate(.object(measurementObject())) }
  }

  private static let spoiled: [(field: String, change: @Sendable (inout JSONObject) -> Void)] = [
    ("log_id", { $0["log_id"] = .string("0189d8a15b0c8f008000000000000001") }),
    ("log_id", { $0["log_id"] = .string("0189d8a1-5b0c-8f00-8000-00000000000g") }),
    ("log_id", { $0["log_id"] = .string("00000000-0000-0000-0000-000000000000") }),
    ("type", { $0["type"] = .string("summary") }),
    ("version", { $0["version"] = .string("2.0") }),
    ("end_time", { $0["end_time"] = .string("2018-09-20T05:27:06.999Z") }),
    ("start_time", { $0["start_time"] = .string("2018-09-19T22:27:07-07:00") }),
    ("utc_offset", { $0["utc_offset"] = .string("-07:00") }),
    ("utc_offset", { $0["utc_offset"] = .number(1.5) }),
    ("utc_offset", { $0["utc_offset"] = .number(90_000) }),
    ("offset_origin", { $0["offset_origin"] = .string("guess") }),
    ("offset_origin", { $0["offset_origin"] = nil }),
    ("revision", { $0["revision"] = .number(0) }),
    ("revision", { $0["revision"] = .number(1.5) }),
    ("revision", { $0["revision"] = .number(2_147_483_648) }),
    ("revision", { $0["revision"] = .string("2") }),
    ("revision", { $0["revision"] = .null }),
    ("tags", { $0["tags"] = .object([:]) }),
    ("tags[0].name", { $0["tags"] = .array([.object(["value": .string("x")])]) }),
    ("tags[0].value", { $0["tags"] = .array([.object(["name": .string("x"), "value": .number(1)])]) }),
    ("tags[0]", { $0["tags"] = .array([.null]) }),
    ("tags", { $0["tags"] = .array(Array(repeating: .null, count: 65)) }),
    ("user_notes[0].type", { $0["user_notes"] = .array([.object(["value": .string("x")])]) }),
    ("source.type", { $0["source"] = .object([:]) }),
    ("source.device", { $0["source"] = .object(["type": .string("a"), "device": .string("b")]) }),
    (
      "source.device.model",
      { $0["source"] = .object(["type": .string("a"), "device": .object(["model": .number(3)])]) }
    ),
    ("metrics[0]", { $0["metrics"] = .array([.number(3)]) }),
    ("extra.deep[1]", { $0["extra"] = .object(["deep": .array([.null, .number(.infinity)])]) }),
    ("extra", { $0["extra"] = .number(9_007_199_254_740_992) }),
    ("extra", { $0.members += [.init(name: "extra", value: .null), .init(name: "extra", value: .null)] }),
    ("source.type", { $0["source"] = .object(["type": .string(String(repeating: "x", count: 4097))]) }),
  ]

  @Test(arguments: spoiled.indices)
  func refusesSpoiledFields(index: Int) {
    let (field, change) = Self.spoiled[index]
    #expect(fields(measurementObject(change)) == [field])
  }

  @Test func refusesAMetricGivenTwice() {
    let record = measurementObject {
      $0["metrics"] = .array([metric("blood_glucose", "mg/dL", 111), metric("blood_glucose", "mmol/L", 6.2)])
    }
    #expect(fields(record) == ["metrics[1].type"])
  }

  @Test func refusesAMetricOfUnknownOrigin() {
    var spoiled = metric("pulse", "/min", 72)
    if case .object(var object) = spoiled {
      object["origin"] = .string("guessed")
      spoiled = .object(object)
    }
    #expect(fields(measurementObject { $0["metrics"] = .array([spoiled]) }) == ["metrics[0].origin"])
  }

  @Test func toleratesUnknownMembersAndKeepsThem() throws {
    let plain = try validator.validate(.object(measurementObject()))
    let extended = try validator.validate(.object(measurementObject { $0["extra"] = .string("kept") }))
    #expect(extended.content.contains("\"extra\":\"kept\""))
    #expect(extended.checksum != plain.checksum)
  }

  @Test func toleratesWhatInformLeavesOpen() {
    #expect(fields(measurementObject { $0["source"] = .object(["type": .string("a"), "device": .null]) }) == [])
    #expect(
      fields(
        measurementObject {
          $0["utc_offset"] = .null
          $0["offset_origin"] = nil
        }) == [])
  }

  @Test(
    "members that nobody knows have bounds, too",
    arguments: [
      (JSONValue.string(String(repeating: "x", count: 4096)), [String]()),
      (.string(String(repeating: "x", count: 4097)), ["own.at[0].x"]),
      (.array(Array(repeating: .null, count: 20_000)), []),
      (.array(Array(repeating: .null, count: 20_001)), ["own.at[0].x"]),
      (.object(JSONObject(members: (0..<256).map { .init(name: "\($0)", value: .null) })), []),
      (.object(JSONObject(members: (0..<257).map { .init(name: "\($0)", value: .null) })), ["own.at[0].x"]),
      (.object(JSONObject(members: [.init(name: String(repeating: "n", count: 256), value: .null)])), []),
      (
        .object(JSONObject(members: [.init(name: String(repeating: "n", count: 257), value: .null)])),
        ["own.at[0].x." + String(repeating: "n", count: 64)]
      ),
    ])
  func unknownMembers(_ value: JSONValue, _ offending: [String]) {
    let record = measurementObject { $0["own"] = .object(["at": .array([.object(["x": value])])]) }
    #expect(fields(record) == offending)
  }

  @Test func listOfReasonsIsBounded() throws {
    let members = (0..<200).map { JSONObject.Member(name: "a\($0)", value: .number(.infinity)) }
    let error = try #require(throws: FieldErrors.self) {
      try validator.validate(.object(JSONObject(members: members)))
    }
    #expect(error.reasons.reduce(0) { $0 + $1.reasons.count } == FieldErrors.limit)
  }
}
