import Foundation
import RecordSupport
import StrictJSON
import TestSupport
import Testing

@testable import MeterCore
@testable import InformSink

@Suite("Legacy v1 encoder")
struct LegacyV1EncoderTests {
  /// The fields of the Legacy records that hold values or words; `start_time` is the record's own time.
  static let fields: [RecordType: String] = [
    .biometrics: """
    blood_calcium blood_chromium blood_folic_acid blood_magnesium blood_potassium blood_sodium blood_vitamin_b12 \
    blood_zinc creatine_kinase crp diastolic ferritin hdl hscrp il6 ldl resting_heartrate systolic testosterone \
    total_cholesterol tsh uric_acid vitamin_d white_cell_count spo2 temperature
    """,
    .diabetes: """
    c_peptide fasting_plasma_glucose_test hba1c insulin oral_glucose_tolerance_test random_plasma_glucose_test \
    triglyceride blood_glucose relationship_to_meal
    """,
    .weight: "weight height free_mass fat_percent mass_weight bmi",
    .routine: "steps distance floors elevation calories_burned",
    .nutrition: "calories carbohydrates fat fiber protein sodium water meal",
    .fitness: "type intensity duration",
    .sleep: "awake deep light rem times_woken total_sleep",
  ]

  static func decode(_ record: Record) throws -> JSONElement {
    let root = try JSONDocument(try LegacyV1Encoder().encode(record), rules: InformV2TypesTests.rules).root
    return try #require(root.member(record.type.rawValue))
  }

  @Test("writes one record in its envelope")
  func golden() throws {
    let record = Fixture.glucose(1, mantissa: 625, exponent: -2, unit: 3, context: [Fixture.beforeMeal])
    let text = String(decoding: try LegacyV1Encoder().encode(record, accessToken: "sesame"), as: UTF8.self)
    #expect(
      text == """
        {"access_token":"sesame","diabetes":{"activity_id":"\(record.logID)","revision":1,"timestamp":"2026-03-01T07:00:00+00:00",\
        "utc_offset":"+01:00","blood_glucose":112.6,"relationship_to_meal":"before","source":"device",\
        "source_name":"Gluco","original_source":"Acme","source_peripheral":"Gluco",\
        "extras":{"origin":"device","offset_origin":"profile","device_id":"GM-0042"}}}
        """)
  }

  @Test("comes back as it went: each value once, in a field or in the extras", arguments: LegacyV1Encoder.types)
  func roundTrip(type: RecordType) throws {
    var generator = SeededGenerator(seed: 41)
    for _ in 0..<300 {
      let record = try RandomDraft.make(type, named: InformName.orOwn, using: &generator).record()
      let json = try Self.decode(record)
      let extras = try #require(json.member("extras"))
      #expect(json.member("activity_id")?.asString.flatMap { LogID($0) } == record.logID)
      #expect(InformV2TypesTests.time(json.member("timestamp")) == record.time.startMicroseconds)
      #expect(json.member("utc_offset")?.asString == "+01:00")
      for value in record.values {
        let metric = try #require(Metric.withCode(value.metric))
        let field = LegacyV1Field.all[type]?.first { $0.metrics.contains(metric.name) && json.member($0.name) != nil }
        if let extra = extras.member(metric.name) {
          let text = extra.member("value")?.numeral ?? extra.asString
          #expect(text == value.word ?? value.number.description)
          #expect(extra.member("unit")?.asString ?? "1" == value.ucum)
        } else if metric.name == "relationship_to_meal" {
          #expect(json.member("relationship_to_meal")?.asString == value.word.flatMap { LegacyV1Field.meals[$0] })
        } else {
          let field = try #require(field, "\(metric.name) is lost")
          let number = try #require(json.member(field.name)?.numeral.flatMap(ReportedNumber.init(decimal:)))
          let back = try number.converted(
            from: field.ucum, to: value.ucum, analyte: metric.analyte,
            resolution: field.ucum == value.ucum ? .kept : .exponent(value.number.exponent))
          #expect(back == value.number, "\(metric.name) \(number) \(value.number)")
        }
      }
      #expect(extras.member("notes")?.elements.map(\.asString) == record.notes.filter { $0.field == 304 }.map(\.text))
      #expect(
        extras.member("x_number")?.numeral
          == record.details?.extras.first.flatMap { extra in
            if case .number(let number) = extra.value { number.description } else { nil }
          })
      #expect((extras.member("tags") == nil) == record.details?.tags.isEmpty)
      for (text, field) in LegacyV1Field.texts[type] ?? [] {
        #expect(json.member(field)?.asString == record.text(text), "\(field)")
      }
    }
  }

  @Test("has exactly the fields of the Legacy records, each with a unit that its metrics have a way to")
  func allFields() throws {
    let apart: Set<String> = ["relationship_to_meal", "type", "intensity", "meal"]
    let words = LegacyV1Field.texts.values.flatMap { $0 }
    #expect(Set(words.map { $0.field }).union(["relationship_to_meal"]) == apart)
    for word in words { #expect(Metric.named(word.text).first?.kind == .text, "\(word.text)") }
    for type in LegacyV1Encoder.types {
      let facts = Set((Self.fields[type] ?? "").split(separator: " ").map(String.init))
      let fields = LegacyV1Field.all[type] ?? []
      #expect(
        Set(fields.map(\.name)).subtracting(["distance", "calories"])
          == facts.subtracting(apart).subtracting(
            ["distance", "calories"]), "\(type)")
      for field in fields {
        for name in field.metrics {
          let metric = try #require(Metric.named(name).first, "\(name)")
          for unit in metric.units {
            #expect(
              unit.ucum == field.ucum
                || UnitConversion.from(unit.ucum, to: field.ucum, analyte: metric.analyte) != nil, "\(name)")
          }
        }
      }
    }
  }

  @Test(
    "converts to the form's units",
    arguments: [
      (RecordType.biometrics, "body_temperature", "98.6", "[degF]", "temperature", "37.00"),
      (.biometrics, "systolic", "16.0", "kPa", "systolic", "120.0"),
      (.weight, "body_weight", "154.3", "[lb_av]", "weight", "69.99"),
      (.weight, "body_height", "70.9", "[in_i]", "height", "180.1"),
      (.sleep, "sleep_duration", "7", "h", "total_sleep", "25200"),
      (.nutrition, "sodium", "1.5", "g", "sodium", "1500"),
      (.nutrition, "water", "0.25", "L", "water", "250"),
      (.routine, "energy_burned", "4184", "kJ", "calories_burned", "1000.0"),
    ])
  func units(type: RecordType, metric: String, value: String, unit: String, field: String, written: String) throws {
    let json = try Self.decode(Fixture.draft(type, [.init(metric, value, unit)]).record())
    #expect(json.member(field)?.numeral == written)
  }

  @Test("marks what is out of range, and puts a second heart rate into the extras")
  func marks() throws {
    let high = try Self.decode(Fixture.glucose(1, mantissa: 601))
    #expect(high.member("extras")?.member("blood_glucose_out_of_range")?.asString == "high")
    let rates = try Self.decode(
      Fixture.draft(.biometrics, [.init("pulse", "71", "/min"), .init("resting_heart_rate", "58", "/min")]).record())
    #expect(rates.member("resting_heartrate")?.numeral == "58")
    #expect(rates.member("extras")?.member("pulse")?.member("value")?.numeral == "71")
    let pulse = try Self.decode(Fixture.draft(.biometrics, [.init("pulse", "71", "/min")]).record())
    #expect(pulse.member("resting_heartrate")?.numeral == "71")
  }

  @Test("writes the start of a workout, and the end of whatever has one")
  func times() throws {
    var draft = Fixture.draft(.fitness, seconds: 2406)
    draft.values = [.init("active_duration", "2407", "s")]
    let json = try Self.decode(draft.record())
    #expect(json.member("start_time")?.asString == "2026-03-01T08:00:00+00:00")
    #expect(json.member("extras")?.member("end_time")?.asString == "2026-03-01T08:40:06Z")
  }

  @Test("writes the active energy of a workout where it is told, and both of a day")
  func energies() throws {
    let values: [RecordDraft.Value] = [
      .init("energy_burned", "300", "kcal"), .init("active_energy_burned", "250", "kcal"),
    ]
    let workout = try Self.decode(Fixture.draft(.fitness, values).record())
    #expect(workout.member("calories")?.numeral == "250")
    #expect(workout.member("extras")?.member("energy_burned")?.member("value")?.numeral == "300")
    let day = try Self.decode(Fixture.draft(.routine, values).record())
    #expect(day.member("calories_burned")?.numeral == "300")
  }

  @Test("refuses what it cannot carry, and says why")
  func refusals() throws {
    func code(_ record: Record) -> EncodingRefusal.Code? {
      do { _ = try LegacyV1Encoder().encode(record) } catch { return error.code }
      return nil
    }
    #expect(code(Fixture.glucose(1, flags: .control)) == .control)
    #expect(try code(Fixture.glucoseSeries().record()) == .noSuchType)
    #expect(try code(Fixture.night().record()) == .noPlace)
    #expect(try code(Fixture.draft(.biometrics, [.init("inr", "2.4", "{INR}")]).record()) == .nothingToSend)
    let twice = [RecordValue(metric: 1, unit: 2, number: ReportedNumber(mantissa: 1, exponent: 0))]
    #expect(code(Fixture.glucose(1, context: twice)) == .duplicate)
    #expect(code(Fixture.glucose(1, mantissa: 1, exponent: 12, unit: 3)) == .notConvertible)
    var clash = Fixture.draft(.weight, [.init("body_weight", "70", "kg")])
    clash.extras = [RecordExtra(name: "origin", value: .text("mine"))]
    #expect(try code(clash.record()) == .duplicate)
    var old = Fixture.draft(.weight, [.init("body_weight", "70", "kg")])
    old.time = .local(0, offsetSeconds: 3208, source: .user)
    #expect(try code(old.record()) == .offset)
    old.time = RecordTime(
      startMicroseconds: 0, endMicroseconds: 0, civilMicroseconds: nil, utcOffsetSeconds: nil, zoneSource: nil,
      kind: .utc)
    #expect(try code(old.record()) == nil)
  }
}
