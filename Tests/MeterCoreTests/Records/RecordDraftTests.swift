import Foundation
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

@Suite("Drafts of records")
struct RecordDraftTests {
  @Test("become records by names, decimal text and UCUM")
  func manual() throws {
    var draft = Fixture.draft(
      .diabetes,
      [
        .init("blood_glucose", "6.20", "mmol/L"), .init("relationship_to_meal", "before"),
        .init("carbohydrate", "60", "g"), .init("diabetes_event", "sick"),
      ])
    draft.texts = [.init("note", "felt fine\n"), .init("note", "twice is one more note")]
    let record = try draft.record()
    #expect(record.values.map(\.metric) == [1, 100, 101, 0x7F00])
    #expect(record.values.map(\.number.description) == ["6.20", "1", "60", "4"])
    #expect(record.values.map(\.ucum) == ["mmol/L", "1", "g", "1"])
    #expect(record.origin == .manual && record.identityClass == .live && record.revision == 1)
    #expect(record.logID.description.dropFirst(14).first == "4")
    #expect(record.time.zoneSource == .user && record.time.utcOffsetSeconds == 3600)
    #expect(record.notes.count == 2 && record.details == nil)
    #expect(try draft.record().logID != record.logID)
    #expect(try draft.record().contentHash == record.contentHash)
  }

  @Test("take every metric in every unit in every type that it belongs to")
  func all() throws {
    for type in RecordType.allCases where type != .intraday && type != .cgm {
      for metric in Metric.dictionary + Metric.host where metric.kind == .quantity && metric.belongs(to: type) {
        for allowed in metric.units {
          let bound = allowed.plausible.upperBound.rounded(.down)
          let value = RecordDraft.Value(
            metric.name, bound >= allowed.plausible.lowerBound ? String(Int(bound)) : "1", allowed.ucum)
          var draft = Fixture.draft(type, [value])
          if !metric.isPrimary {
            draft.values.append(.init("blood_glucose", "100", "mg/dL"))
            guard type == .diabetes else { continue }
          }
          let record = try draft.record()
          #expect(record.values.first?.metric == metric.code, "\(metric.name) \(type)")
          #expect(record.values.first?.ucum == allowed.ucum)
        }
      }
    }
  }

  static let refusals: [(RecordDraft, DraftError.Code, String, String)] = [
    (Fixture.draft(.diabetes, [.init("sugar", "5", "mg/dL")]), .unknownMetric, "values[0]", "blood_glucose"),
    (Fixture.draft(.biometrics, [.init("steps", "5", "{count}")]), .notOfType, "values[0]", "routine"),
    (Fixture.draft(.diabetes, [.init("blood_glucose", "5", "kg")]), .unitNotAllowed, "values[0]", "mmol/L"),
    (Fixture.draft(.diabetes, [.init("blood_glucose", "5")]), .unitNotAllowed, "values[0]", "mg/dL"),
    (Fixture.draft(.diabetes, [.init("blood_glucose", "nan", "mg/dL")]), .notANumber, "values[0]", "6.20"),
    (Fixture.draft(.diabetes, [.init("blood_glucose", "inf", "mg/dL")]), .notANumber, "values[0]", ""),
    (Fixture.draft(.diabetes, [.init("blood_glucose", "5,6", "mmol/L")]), .notANumber, "values[0]", ""),
    (
      Fixture.draft(.diabetes, [.init("blood_glucose", "5.6", "mg/dL")]), .implausible, "values[0]",
      "10.0...1000.0 mg/dL"
    ),
    (
      Fixture.draft(
        .diabetes, [.init("blood_glucose", "100", "mg/dL"), .init("relationship_to_meal", "during")]), .unknownWord,
      "values[1]", "fasting"
    ),
    (
      Fixture.draft(.diabetes, [.init("blood_glucose", "100", "mg/dL"), .init("sample_type", "control_solution")]),
      .unknownWord, "values[1]", ""
    ),
    (
      Fixture.draft(.biometrics, [.init("pulse", "60", "/min"), .init("pulse", "61", "/min")]), .duplicate, "values[1]",
      ""
    ),
    (Fixture.draft(.diabetes, [.init("relationship_to_meal", "before")]), .noValue, "", ""),
    (Fixture.draft(.diabetes, [.init("control_solution_glucose", "100", "mg/dL")]), .notOfType, "values[0]", ""),
    (Fixture.draft(.diabetes, []), .noValue, "", ""),
    (Fixture.draft(.intraday), .badSeries, "channels", ""),
    (
      Fixture.draft(.diabetes, Array(repeating: .init("blood_glucose", "100", "mg/dL"), count: 61)), .tooMany,
      "values", "0...60"
    ),
  ]

  @Test("are refused with the place and what is allowed", arguments: refusals.indices)
  func refused(index: Int) {
    let (draft, code, place, allowed) = Self.refusals[index]
    let error = #expect(throws: DraftError.self) { try draft.record() }
    #expect(error?.code == code)
    #expect(error?.place == place)
    #expect(allowed.isEmpty || error?.allowed.contains(allowed) == true, "\(String(describing: error))")
  }

  @Test("say each metric once, by whichever names")
  func onceEach() throws {
    var draft = Fixture.draft(.biometrics, [.init("pulse", "60", "/min"), .init("heart_rate", "61", "/min")])
    #expect(try draft.record().values.map(\.metric) == [23, 24], "two metrics that a receiver may give one name")
    draft.names = MetricNames(others: ["puls": [23]])
    draft.values = [.init("puls", "60", "/min"), .init("pulse", "61", "/min")]
    let error = #expect(throws: DraftError.self) { try draft.record() }
    #expect(error?.code == .duplicate && error?.place == "values[1]")
    draft.values.removeLast()
    #expect(try draft.record().values.map(\.metric) == [23])
  }

  @Test("have texts of their type, bounded and without control characters")
  func texts() throws {
    func code(_ type: RecordType, _ texts: [RecordDraft.Text]) -> DraftError.Code? {
      var draft = Fixture.draft(type, [type == .fitness ? .init("steps", "5", "{count}") : .init("spo2", "97", "%")])
      draft.texts = texts
      do { _ = try draft.record() } catch { return error.code }
      return nil
    }
    #expect(code(.fitness, [.init("activity_name", "Running"), .init("intensity", "low")]) == nil)
    #expect(code(.biometrics, [.init("activity_name", "Running")]) == .unknownMetric)
    #expect(code(.biometrics, [.init("serial_number", "1")]) == .unknownMetric)
    #expect(code(.fitness, [.init("intensity", "low"), .init("intensity", "high")]) == .duplicate)
    for text in ["", "a\u{0}b", "\u{7F}", "\u{1B}[31m", String(repeating: "x", count: 4097)] {
      #expect(code(.biometrics, [.init("note", text)]) == .badText)
    }
    #expect(code(.biometrics, [.init("note", String(repeating: "x", count: 4096))]) == nil)
  }

  @Test("keep an implausible value only when the caller holds it for a person")
  func implausible() throws {
    var draft = Fixture.draft(.diabetes, [.init("blood_glucose", "5000", "mg/dL")])
    #expect(throws: DraftError.self) { try draft.record() }
    draft.keepsImplausible = true
    #expect(try draft.record().values.first?.number.mantissa == 5000)
  }

  @Test("are named by chance, by the caller, by an import, or by their day")
  func names() throws {
    let draft = Fixture.draft(.routine, [.init("steps", "5000", "{count}")])
    let given = try #require(LogID("0b0e5f5a-3f0f-4b43-9f43-1f4d6ab7c001"))
    #expect(try draft.record(named: .given(given)).logID == given)
    let imported = RecordName.imported(source: [1], identity: [2])
    #expect(try draft.record(named: imported) == draft.record(named: imported))
    #expect(try draft.record(named: imported).identityClass == .stored)
    let day = RecordName.summary(source: [1], kind: "steps", interval: "2026-03-01")
    let morning = try draft.record(named: day)
    let evening = try Fixture.draft(.routine, [.init("steps", "9000", "{count}")]).record(named: day)
    #expect(morning.logID == evening.logID && morning.identityClass == .summary)
    #expect(morning.contentHash != evening.contentHash)
    let none = try #require(LogID("00000000-0000-0000-0000-000000000000"))
    #expect(throws: DraftError.self) { try draft.record(named: .given(none)) }
  }

  @Test("state the source of their offset, and a time that can be written")
  func times() {
    func code(_ start: Int64, _ end: Int64, _ offset: Int?, _ source: RecordTime.ZoneSource?) -> DraftError.Code? {
      let time = RecordTime(
        startMicroseconds: start, endMicroseconds: end, civilMicroseconds: nil, utcOffsetSeconds: offset,
        zoneSource: source, kind: .utc)
      var draft = RecordDraft(type: .biometrics, time: time, source: Fixture.person)
      draft.values = [.init("spo2", "97", "%")]
      do { _ = try draft.record() } catch { return error.code }
      return nil
    }
    #expect(code(0, 0, 3600, .user) == nil)
    #expect(code(0, 0, nil, nil) == nil)
    for (start, end, offset, source) in [
      (0, 0, 3600, nil), (0, 0, nil, .user), (0, -1, 3600, .user), (.min, 0, 3600, .user), (0, .max, 3600, .user),
      (0, 0, 64_801, .user), (0, 0, .min, .user),
    ] as [(Int64, Int64, Int?, RecordTime.ZoneSource?)] {
      #expect(code(start, end, offset, source) == .badTime)
    }
  }
}

@Suite("Decimal text")
struct DecimalTextTests {
  @Test("is read with its digits")
  func digits() {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<3000 {
      let number = ReportedNumber(
        mantissa: .random(in: -999_999_999...999_999_999, using: &generator),
        exponent: .random(in: -9...0, using: &generator))
      #expect(ReportedNumber(decimal: number.description) == number)
    }
    #expect(ReportedNumber(decimal: "1.5e3") == ReportedNumber(mantissa: 15, exponent: 2))
    #expect(ReportedNumber(decimal: "1E-2") == ReportedNumber(mantissa: 1, exponent: -2))
    #expect(ReportedNumber(decimal: "999999999999999999e18")?.doubleValue == 999_999_999_999_999_999e18)
    #expect(ReportedNumber(decimal: "0.00000000000000001e-1") == ReportedNumber(mantissa: 1, exponent: -18))
    for zero in ["-0", "-0.0", "-0e3"] {
      #expect(ReportedNumber(decimal: zero)?.description.hasPrefix("-") == false, "a zero has no sign")
    }
  }

  @Test(
    "is nothing else",
    arguments: [
      "", " ", "nan", "NaN", "inf", "-inf", "0x10", "1,5", ".5", "5.", "-", "+5", "1e", "e5", "1e5e", "1e5e5", "1e100",
      "1e19", "1e-19", "0e19", "0e999999999", "-1e-400", "0.1e-18", "999999999999999999e99",
      "1.2.3", " 1", "1 ", "١٢", "--1", "-.5", "1e+-5", "1234567890123456789", "0.1234567890123456789", "1_000",
    ])
  func nothingElse(text: String) { #expect(ReportedNumber(decimal: text) == nil) }

  @Test("of any bytes neither traps nor becomes what is not finite")
  func fuzz() {
    var generator = SeededGenerator(seed: 6)
    let characters = Array("0123456789.-+eE nai")
    for _ in 0..<20_000 {
      let text = String(
        (0..<Int.random(in: 0...24, using: &generator)).compactMap { _ in
          characters.randomElement(using: &generator)
        })
      guard let number = ReportedNumber(decimal: text) else { continue }
      #expect(number.doubleValue.isFinite && Double(text) == number.doubleValue, "\(text)")
    }
  }
}
