import Foundation
import HostPrimitives
import RecordSupport
import StrictJSON
import TestSupport
import Testing

@testable import MeterCore
@testable import InformSink

@Suite("Inform v2 encoder, all types")
struct InformV2TypesTests {
  static let rules = JSONRules(depth: 32)

  struct Value: Hashable {
    let name: String
    let ucum: String
    let number: ReportedNumber
  }

  static func decode(_ record: Record) throws -> JSONElement {
    try JSONDocument(try InformV2Encoder().encode(record), rules: rules).root
  }

  static func values(_ metrics: JSONElement?) throws -> [Value] {
    try (metrics?.elements ?? []).filter { $0.member("value") != nil }.map { metric in
      Value(
        name: try #require(metric.member("type")?.asString), ucum: try #require(metric.member("unit")?.asString),
        number: try #require(metric.member("value")?.numeral.flatMap(ReportedNumber.init(decimal:))))
    }
  }

  /// What Inform has a name for, as it must come back: same digits, same unit.
  static func named(_ values: [RecordValue]) -> [Value] {
    values.compactMap { value in
      Metric.withCode(value.metric).flatMap { metric in
        metric.isPrimary
          ? InformName.of(metric.code).map { Value(name: $0, ucum: spelled(value.ucum, of: $0), number: value.number) }
          : nil
      }
    }
  }

  /// Units as Inform's public examples write them; they show none of other metrics that is not UCUM.
  static let examples = [
    "systolic": "mmHg", "diastolic": "mmHg", "pulse": "bpm", "avg_heart_rate": "bpm", "resting_heart_rate": "bpm",
    "steps": "count", "awake_count": "count",
  ]

  static func spelled(_ ucum: String, of metric: String) -> String {
    ["mm[Hg]", "/min", "{count}"].contains(ucum) ? examples[metric] ?? ucum : ucum
  }

  static func time(_ element: JSONElement?) -> Int64? {
    element?.asString.flatMap(WrittenTime.init).map(\.civilMicroseconds)
  }

  /// Each measured quantity of the dictionary in a record of each type that it belongs to.
  static let quantities: [(RecordType, Metric)] = RecordType.allCases.filter { $0 != .intraday && $0 != .cgm }
    .flatMap { type in
      (Metric.dictionary + Metric.host).filter { $0.kind == .quantity && $0.isPrimary && $0.belongs(to: type) }
        .map { (type, $0) }
    }

  @Test("leaves out nothing that was measured, whether Inform has a name for it or not", arguments: quantities)
  func complete(type: RecordType, metric: Metric) throws {
    let other = try #require(
      Self.quantities.first { pair in
        pair.0 == type && InformName.of(pair.1.code).map { $0 != InformName.of(metric.code) } ?? false
      }?.1)
    let values = try [(other, "7"), (metric, "123.45")].map { (metric: Metric, text: String) throws -> RecordValue in
      RecordValue(
        metric: metric.code, unit: try #require(metric.units.first.flatMap { MetricUnit.withUCUM($0.ucum) }).code,
        number: try #require(ReportedNumber(decimal: text)))
    }
    let template = Fixture.glucose(1)
    let record = Record(
      logID: template.logID, identityClass: .stored, type: type, time: template.time, values: values,
      source: template.source)
    let text = String(decoding: try InformV2Encoder().encode(record), as: UTF8.self)
    #expect(text.contains(#""value":123.45"#), "\(metric.name) is not in \(text)")
    let accepted = try #require(try? JSONDocument(Array(text.utf8), rules: Self.rules))
    if InformName.of(metric.code) == nil {
      let extra = accepted.root.member("extras")?.member(metric.name)
      #expect(extra?.member("unit")?.asString == values[1].ucum)
    }
  }

  @Test("comes back as it went, digit by digit", arguments: RecordType.allCases)
  func roundTrip(type: RecordType) throws {
    var generator = SeededGenerator(seed: 31)
    for _ in 0..<200 {
      let record = try RandomDraft.withDetails(type, named: InformName.orOwn, using: &generator).record()
      guard !Self.named(record.values).isEmpty || type == .intraday || type == .cgm else { continue }
      let json = try Self.decode(record)
      #expect(json.member("log_id")?.asString.flatMap { LogID($0) } == record.logID)
      #expect(json.member("type")?.asString == type.informType)
      #expect(Self.time(json.member("start_time")) == record.time.startMicroseconds)
      #expect(Self.time(json.member("end_time")) == record.time.endMicroseconds)
      #expect(json.member("utc_offset")?.numeral == "3600")
      #expect(json.member("offset_origin")?.asString == "user_defined")
      #expect(Set(try Self.values(json.member("metrics"))) == Set(Self.named(record.values)))
      #expect(
        json.member("user_notes")?.elements.map { $0.member("value")?.asString }
          == record.notes.filter { $0.field == 304 }.map(\.text))
      try expectSegments(json.member("segments"), record)
      try expectSeries(json.member("metrics"), record)
      try expectExtras(json, record)
    }
  }

  private func expectSegments(_ segments: JSONElement?, _ record: Record) throws {
    let expected = record.details?.segments ?? []
    guard let elements = segments?.elements else {
      #expect(expected.isEmpty)
      return
    }
    try #require(elements.count == expected.count)
    for (element, segment) in zip(elements, expected) {
      #expect(element.member("name")?.asString == segment.name)
      #expect(Self.time(element.member("start_time")) == segment.startMicroseconds)
      #expect(Self.time(element.member("end_time")) == segment.endMicroseconds)
      #expect(try Self.values(element.member("metrics")) == Self.named(segment.values))
      let foods = element.member("food")?.elements ?? []
      try #require(foods.count == segment.foods.count)
      for (element, food) in zip(foods, segment.foods) {
        #expect(element.member("name")?.asString == food.name)
        #expect(element.member("brand")?.asString == food.brand ?? "")
        #expect(element.member("serving")?.member("amount")?.numeral == food.servingAmount?.description)
        #expect(element.member("serving")?.member("unit_name")?.asString == food.servingUnit)
        #expect(try Self.values(element.member("metrics")) == Self.named(food.values))
      }
    }
  }

  private func expectSeries(_ metrics: JSONElement?, _ record: Record) throws {
    let key = record.type == .cgm ? "reading_log" : "data_points"
    let channels = (metrics?.elements ?? []).filter { $0.member("value") == nil }
    let expected = record.details?.series?.channels ?? []
    try #require(channels.count == expected.count)
    for (element, channel) in zip(channels, expected) {
      let name = try #require(InformName.of(channel.metric))
      #expect(element.member("type")?.asString == name)
      let ucum = try #require(MetricUnit.withCode(channel.unit)?.ucum)
      #expect(element.member("unit")?.asString == Self.spelled(ucum, of: name))
      let points = try #require(element.member(key)).elements
      #expect(points.map { Self.time($0.member("time")) } == channel.points.map(\.timeMicroseconds))
      #expect(points.map { $0.member("value")?.numeral } == channel.points.map(\.number.description))
      guard record.type == .cgm else { continue }
      #expect(points.map { $0.member("scheduled")?.asBool } == channel.points.map(\.isScheduled))
      let shown = points.map { $0.member("display_time")?.asString.flatMap(WrittenTime.init)?.civilMicroseconds }
      #expect(shown == channel.points.map { $0.timeMicroseconds + 3_600_000_000 })
    }
  }

  private func expectExtras(_ json: JSONElement, _ record: Record) throws {
    let extras = try #require(json.member("extras"))
    for extra in record.details?.extras ?? [] {
      let element = extras.member(extra.name)
      switch extra.value {
      case .text(let text): #expect(element?.asString == text)
      case .number(let number): #expect(element?.numeral == number.description)
      case .flag(let flag): #expect(element?.asBool == flag)
      }
    }
    for value in record.values {
      guard let metric = Metric.withCode(value.metric), metric.isHostsOwn, metric.isPrimary,
        InformName.of(metric.code) == nil
      else { continue }
      #expect(extras.member(metric.name)?.member("value")?.numeral == value.number.description, "\(metric.name)")
      #expect(extras.member(metric.name)?.member("unit")?.asString == value.ucum)
    }
  }

  @Test("writes a day, a workout, a night and a meal as Inform shapes them")
  func shapes() throws {
    let day = Fixture.draft(.routine, [.init("steps", "6392", "{count}")])
    #expect(try Self.decode(day.record()).member("category")?.asString == "daily")
    var workout = Fixture.draft(.fitness, [.init("active_duration", "2407", "s")])
    #expect(try Self.decode(workout.record()).member("name")?.asString == "Unknown")
    workout.texts = [.init("activity_name", "Elliptical"), .init("intensity", "low"), .init("category", "gym")]
    let json = try Self.decode(workout.record())
    #expect(json.member("name")?.asString == "Elliptical" && json.member("category")?.asString == "gym")
    #expect(json.member("tags")?.elements.first?.member("value")?.asString == "low")
    #expect(json.member("source")?.member("type")?.asString == "manual")
    #expect(json.member("source")?.member("device")?.kind == .null)
    let meal = try Self.decode(Fixture.meal().record())
    #expect(meal.member("name")?.asString == "Breakfast" && meal.member("category")?.asString == "meal")
    #expect(
      meal.member("metrics")?.elements.map { $0.member("type")?.asString } == ["energy_consumed", "carbohydrate"])
  }

  @Test(
    "writes units as Inform's public examples do, where they show one, and UCUM elsewhere",
    arguments: [
      (.biometrics, "systolic", "mm[Hg]", "mmHg"), (.biometrics, "diastolic", "mm[Hg]", "mmHg"),
      (.biometrics, "systolic", "kPa", "kPa"), (.biometrics, "pulse", "/min", "bpm"),
      (.biometrics, "resting_heart_rate", "/min", "bpm"), (.biometrics, "avg_heart_rate", "/min", "bpm"),
      (.biometrics, "respiratory_rate", "/min", "/min"), (.routine, "steps", "{count}", "count"),
      (.routine, "floors_climbed", "{count}", "{count}"), (.sleep, "awake_count", "{count}", "count"),
      (.weight, "body_weight", "[lb_av]", "[lb_av]"), (.diabetes, "blood_glucose", "mmol/L", "mmol/L"),
    ] as [(RecordType, String, String, String)])
  func units(type: RecordType, metric: String, ucum: String, written: String) throws {
    let number = ucum == "kPa" ? "16" : metric == "blood_glucose" ? "6" : "60"
    let json = try Self.decode(Fixture.draft(type, [.init(metric, number, ucum)]).record())
    #expect(json.member("metrics")?.elements.map { $0.member("unit")?.asString } == [written])
    // The Legacy API has no field for some of them.
    guard let bytes = try? LegacyV1Encoder().encode(Fixture.draft(type, [.init(metric, number, ucum)]).record()) else {
      return
    }
    let legacy = String(decoding: bytes, as: UTF8.self)
    for word in ["mmHg", "bpm", "\"count\""] { #expect(!legacy.contains(word)) }
  }

  @Test("writes a cgm record with its device and its marks")
  func cgm() throws {
    var draft = Fixture.glucoseSeries()
    draft.source = Fixture.source
    draft.origin = .device
    let json = try Self.decode(draft.record())
    #expect(json.member("granularity") == nil)
    let points = try #require(json.member("metrics")?.elements.first?.member("reading_log")).elements
    #expect(points.first?.member("display_time")?.asString == "2026-03-01T09:00:00+01:00")
    #expect(points.map { $0.member("out_of_range")?.asString } == [nil, nil, "high"])
    #expect(points.allSatisfy { $0.member("device_id")?.asString == "GM-0042" })
    #expect(json.member("source")?.member("devices")?.member("GM-0042")?.member("model")?.asString == "Gluco")
    let intraday = try Self.decode(Fixture.glucoseSeries(.intraday).record())
    #expect(intraday.member("granularity")?.member("interval")?.numeral == "5")
  }

  @Test("refuses a record whose values have no name in Inform, rather than to send nothing")
  func refusals() throws {
    let ferritin = try Fixture.draft(.biometrics, [.init("ferritin", "189", "ng/mL")]).record()
    let error = #expect(throws: EncodingRefusal.self) { try InformV2Encoder().encode(ferritin) }
    #expect(error?.code == .nothingToSend)
  }

  @Test("has a collection for every type")
  func collections() {
    #expect(
      Set(RecordType.allCases.map(\.informCollection))
        == ["measurements", "summaries", "nutrition", "workouts", "sleep", "intraday", "cgm"])
  }
}
