import Foundation
import HostErrors
import MeterCore
import StrictJSON
import Testing

@testable import FHIRBundles

/// Every metric and every type of record has a form, or is refused for a reason that is written down.
@Suite("What FHIR servers get", .timeLimit(.minutes(60)))
struct CoverageTests {
  /// A record of a metric alone.
  private func record(_ metric: Metric) throws -> Record {
    let unit = try #require(metric.units.first)
    let value = try Fixture.value(metric.name, "\(Int(unit.plausible.lowerBound) + 1)", unit.ucum)
    return Fixture.reading(metric.recordType ?? .biometrics, [value])
  }

  private static let measured = Metric.all.filter { $0.isPrimary && $0.kind == .quantity }

  /// The table of docs/reference/fhir.md: what has no code that public sources confirm.
  static let withoutCode: Set<String> = [
    "hematocrit", "total_cholesterol", "uric_acid", "blood_lactate", "body_bone_mass", "min_heart_rate",
    "avg_heart_rate", "max_heart_rate", "heart_rate_variability", "min_spo2", "avg_spo2", "max_spo2", "fvc", "pef",
    "body_fat_mass", "body_water_percent", "visceral_fat", "blood_calcium", "blood_chromium", "blood_folic_acid",
    "blood_magnesium", "blood_potassium", "blood_sodium", "blood_vitamin_b12", "blood_zinc", "creatine_kinase", "crp",
    "ferritin", "hdl", "hscrp", "il6", "ldl", "testosterone", "tsh", "vitamin_d", "white_cell_count", "c_peptide",
    "fasting_plasma_glucose_test", "oral_glucose_tolerance_test", "random_plasma_glucose_test", "triglyceride",
    "insulin", "avg_blood_glucose", "gmi", "pt", "distance", "floors_climbed", "elevation", "wheelchair_pushes",
    "wheelchair_distance", "active_duration", "energy_burned", "active_energy_burned", "basal_energy_burned",
    "stand_hours_count", "idle_hours_count", "mindful_duration", "lightly_active_duration", "fairly_active_duration",
    "very_active_duration", "heart_rate_zone_very_low", "heart_rate_zone_low", "heart_rate_zone_medium",
    "heart_rate_zone_high", "awake_duration", "awake_count", "in_bed_duration", "time_to_fall_asleep",
    "energy_consumed", "carbohydrate_consumed", "protein", "fat", "saturated_fat", "dietary_fiber", "sugars", "sodium",
    "cholesterol", "calcium", "water",
  ]

  @Test("a metric has a code, or stands in the list of those that have none", arguments: measured)
  func metric(_ metric: Metric) throws {
    let record = try record(metric)
    if metric.name == "control_solution_glucose" {
      #expect(refusal(of: record) == .control)
    } else {
      #expect(refusal(of: record) == (Self.withoutCode.contains(metric.name) ? .noCode : nil))
    }
  }

  @Test("the documentation names every metric without a code")
  func documented() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "docs/reference/fhir.md")
    let text = String(decoding: try Data(contentsOf: page), as: UTF8.self)
    let missing = Self.withoutCode.filter { !text.contains("`\($0)`") }
    #expect(missing.isEmpty, "\(missing)")
    for code in FHIRRefusal.Code.allCases { #expect(text.contains("`\(code.rawValue)`")) }
  }

  @Test("what has no code goes along with what has one")
  func along() throws {
    let values = [try Fixture.value("body_bone_mass", "3.1", "kg"), try Fixture.value("body_weight", "75.0", "kg")]
    let read = try ReadBundle(Fixture.maker.bundle(for: Fixture.reading(.weight, values)))
    let observations = read.resources("Observation")
    #expect(observations.map { $0.codes("code") } == [["188736", "29463-7"], ["body_bone_mass"]])
    #expect(observations[1].text("code.coding.0.system") == "https://meterhost.org/fhir/CodeSystem/metric")
  }

  /// A record that has no form, and why.
  struct Refused: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: FHIRRefusal.Code
    let record: @Sendable () throws -> Record
  }

  static let refused = [
    Refused(testDescription: "food", code: .noCode) {
      Fixture.reading(.nutrition, [try Fixture.value("protein", "21", "g")], from: Fixture.store)
    },
    Refused(testDescription: "a day of distances", code: .noCode) {
      Fixture.reading(.routine, [try Fixture.value("distance", "6100", "m")], from: Fixture.store, identity: .summary)
    },
    Refused(testDescription: "words alone", code: .noCode) {
      Fixture.reading(
        .biometrics, [], from: Fixture.store,
        details: RecordDetails(extras: [RecordExtra(name: "menstrual_flow", value: .text("Light"))]))
    },
    Refused(testDescription: "context alone", code: .noCode) {
      Fixture.reading(.diabetes, [try Fixture.value("carbohydrate", "45", "g")])
    },
    Refused(testDescription: "a driver's own metric", code: .noCode) {
      let unit = try Fixture.value("pulse", "1", "/min").unit
      return Fixture.reading(
        .biometrics,
        [RecordValue(metric: 0x8001, unit: unit, number: ReportedNumber(mantissa: 1, exponent: 0))])
    },
    Refused(testDescription: "continuous glucose", code: .series) {
      Fixture.reading(.cgm, [], details: try Fixture.series())
    },
    Refused(testDescription: "a series of a day beside a value", code: .series) {
      Fixture.reading(
        .intraday, [try Fixture.value("heart_rate", "70", "/min")], from: Fixture.store, details: try Fixture.series())
    },
    Refused(testDescription: "control solution by its flag", code: .control) {
      Fixture.reading(.diabetes, [try Fixture.value("blood_glucose", "111", "mg/dL")], flags: .control)
    },
    Refused(testDescription: "control solution by its sample", code: .control) {
      try Fixture.glucose([Fixture.value("sample_type", "10")])
    },
    Refused(testDescription: "control solution by its location", code: .control) {
      try Fixture.glucose([Fixture.value("sample_location", "4")])
    },
    Refused(testDescription: "progress", code: .notFinal) {
      Fixture.reading(.biometrics, [try Fixture.value("spo2", "97", "%")], flags: .provisional)
    },
    Refused(testDescription: "taken back before it was told", code: .notFinal) {
      Fixture.reading(.biometrics, [try Fixture.value("spo2", "97", "%")], flags: .takenBack)
    },
    Refused(testDescription: "one value twice", code: .duplicate) {
      Fixture.reading(
        .biometrics, [try Fixture.value("spo2", "97", "%"), try Fixture.value("spo2", "96", "%")])
    },
    Refused(testDescription: "a metric that is newer than this host", code: .unknown) {
      let spo2 = try Fixture.value("spo2", "97", "%")
      return Fixture.reading(.biometrics, [spo2, RecordValue(metric: 0x6FFF, unit: spo2.unit, number: spo2.number)])
    },
    Refused(testDescription: "a unit that is newer than this host", code: .unknown) {
      let spo2 = try Fixture.value("spo2", "97", "%")
      return Fixture.reading(.biometrics, [RecordValue(metric: spo2.metric, unit: 0x6FFF, number: spo2.number)])
    },
    Refused(testDescription: "a number that cannot be written", code: .number) {
      let spo2 = try Fixture.value("spo2", "97", "%")
      return Fixture.reading(
        .biometrics,
        [RecordValue(metric: spo2.metric, unit: spo2.unit, number: ReportedNumber(mantissa: 1, exponent: 90))])
    },
    Refused(testDescription: "a number that cannot be converted", code: .number) {
      let pressure = try Fixture.value("systolic", "16", "kPa")
      return Fixture.reading(
        .biometrics,
        [RecordValue(metric: pressure.metric, unit: pressure.unit, number: ReportedNumber(mantissa: 1, exponent: 15))])
    },
  ]

  @Test("a record without a form is refused for its reason", arguments: refused)
  func reasons(_ refused: Refused) throws {
    let record = try refused.record()
    #expect(refusal(of: record) == refused.code)
    #expect(!Fixture.maker.takes(record))
  }

  @Test("what the meter has taken back since it was told is told as an error")
  func takenBack() throws {
    let values = [
      try Fixture.value("blood_glucose", "111", "mg/dL"), try Fixture.value("relationship_to_meal", "2"),
      try Fixture.value("clock_offset", "78", "s"),
    ]
    func record(_ flags: RecordFlags) -> Record { Fixture.reading(.diabetes, values, revision: 2, flags: flags) }
    #expect(Fixture.maker.takes(record(.takenBack)))
    let told = try ReadBundle(Fixture.maker.bundle(for: record([])))
    let read = try ReadBundle(Fixture.maker.bundle(for: record(.takenBack)))
    func states(_ read: ReadBundle) -> [String?] { read.resources("Observation").map { $0.text("status") } }
    #expect(states(told) == ["final", "final", "final"])
    #expect(states(read) == ["final", "entered-in-error", "entered-in-error"], "what both clocks showed is no error")
    #expect(read.entries.map { $0.text("request.url") } == told.entries.map { $0.text("request.url") })
    #expect(!Fixture.maker.takes(record([.takenBack, .provisional])))
  }

  @Test("what is taken has a bundle", arguments: BundleCase.all)
  func taken(_ golden: BundleCase) throws { #expect(Fixture.maker.takes(try golden.record())) }

  @Test("every type of record is among what is taken or refused")
  func types() throws {
    let taken = try BundleCase.all.map { try $0.record().type }
    let refused = try Self.refused.map { try $0.record().type }
    #expect(Set(taken + refused) == Set(RecordType.allCases))
  }

  private func refusal(of record: Record) -> FHIRRefusal.Code? {
    do throws(FHIRRefusal) {
      _ = try Fixture.maker.bundle(for: record)
      return nil
    } catch {
      #expect(!error.message.isEmpty && error.hint == nil && error.kind == .failed)
      return error.code
    }
  }
}
