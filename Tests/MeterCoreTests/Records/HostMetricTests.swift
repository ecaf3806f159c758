import DriverContract
import RecordSupport
import Testing

@testable import MeterCore

@Suite("The host's own metrics")
struct HostMetricTests {
  /// The metric vocabulary of Inform v2, by its public description.
  static let vocabulary = """
    systolic diastolic blood_glucose avg_blood_glucose blood_ketone gmi inr pt insulin spo2 min_spo2 avg_spo2 max_spo2 \
    pulse resting_heart_rate min_heart_rate avg_heart_rate max_heart_rate heart_rate_variability body_weight bmi \
    body_fat body_lean_mass body_muscle_mass body_water body_bone_mass visceral_fat body_height body_temperature steps \
    distance floors_climbed elevation wheelchair_pushes wheelchair_distance active_duration energy_burned \
    active_energy_burned basal_energy_burned stand_hours_count idle_hours_count sleep_duration deep_sleep light_sleep \
    rem_sleep awake_duration awake_count in_bed_duration time_to_fall_asleep energy_consumed carbohydrate protein fat \
    saturated_fat dietary_fiber sugars sodium cholesterol calcium water respiratory_rate fev1 fvc pef mindful_duration
    """.split(separator: " ").map(String.init)

  /// The fields of the Legacy records that hold values or words; `start_time` is the record's own time.
  static let legacyFields: [RecordType: String] = [
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

  @Test("have codes that the contract's dictionary never has")
  func range() {
    #expect(Metric.dictionary.allSatisfy { !HostCodes.all.contains($0.code) })
    #expect(MetricUnit.dictionary.allSatisfy { !HostCodes.all.contains($0.code) })
    #expect(HostCodes.all.upperBound < Metric.firstVendorCode)
    #expect(MetricUnit.host.allSatisfy { HostCodes.all.contains($0.code) })
    for metric in Metric.host {
      #expect(
        (metric.inform == nil && metric.kind != .quantity ? HostCodes.facts : HostCodes.measured)
          .contains(metric.code), "\(metric.name)")
      #expect(metric.isPrimary == (metric.kind == .quantity), "\(metric.name)")
    }
  }

  @Test("have each code, name and UCUM notation once, beside the dictionary's")
  func unique() {
    let metrics = Metric.dictionary + Metric.host
    #expect(Set(metrics.map(\.code)).count == metrics.count)
    #expect(Set(metrics.map(\.name)).count == metrics.count)
    let units = MetricUnit.dictionary + MetricUnit.host
    #expect(Set(units.map(\.code)).count == units.count)
    #expect(Set(units.map(\.name)).count == units.count)
    #expect(Set(units.map(\.ucum)).count == units.count)
    for metric in metrics { #expect(Metric.withCode(metric.code) == metric) }
    for unit in units { #expect(MetricUnit.withUCUM(unit.ucum) == unit) }
  }

  @Test("have units that exist and no other kind of value than their kind says")
  func shape() {
    for metric in Metric.host {
      #expect(metric.units.allSatisfy { MetricUnit.withUCUM($0.ucum) != nil }, "\(metric.name)")
      #expect(metric.units.isEmpty == (metric.kind == .text), "\(metric.name)")
      #expect(metric.codes.isEmpty == (metric.kind != .code), "\(metric.name)")
      #expect(metric.recordType.map { metric.belongs(to: $0) } == true, "\(metric.name)")
    }
  }

  @Test("give every name of Inform's vocabulary a metric", arguments: vocabulary)
  func inform(name: String) {
    #expect(Metric.named(name).contains { $0.inform == name })
  }

  @Test("give every field of the Legacy records a metric", arguments: legacyFields.keys)
  func legacy(type: RecordType) {
    for field in (Self.legacyFields[type] ?? "").split(separator: " ") {
      let metrics = (Metric.dictionary + Metric.host).filter {
        $0.recordType == type && $0.recordField == String(field)
      }
      #expect(!metrics.isEmpty, "\(type) \(field)")
    }
  }

  @Test("keep apart what Inform gives one name")
  func twins() {
    func code(_ name: String, _ type: RecordType, _ ucum: String) -> [UInt16] {
      Metric.named(name).filter { metric in
        metric.belongs(to: type) && metric.units.contains { $0.ucum == ucum }
      }.map(\.code)
    }
    #expect(code("carbohydrate", .diabetes, "g") == [101])
    #expect(code("carbohydrate", .nutrition, "g") == [0x7401])
    #expect(code("body_water", .weight, "kg") == [48])
    #expect(code("body_water", .weight, "%") == [0x7021])
    #expect(code("basal_energy_burned", .routine, "kJ") == [0x7209])
    #expect(code("basal_energy_burned", .weight, "kJ") == [50])
    #expect(code("pulse", .biometrics, "/min") == [23, 24])
    #expect(Metric.named("nonsense").isEmpty)
  }

  @Test("belong to records of their types only")
  func types() {
    func belongs(_ name: String, _ type: RecordType) -> Bool { Metric.named(name).contains { $0.belongs(to: type) } }
    #expect(belongs("steps", .routine) && belongs("steps", .fitness) && !belongs("steps", .biometrics))
    #expect(belongs("blood_glucose", .cgm) && !belongs("blood_glucose", .sleep))
    #expect(belongs("sample_type", .diabetes) && !belongs("sample_type", .routine))
    #expect(!belongs("control_solution_glucose", .diabetes))
    #expect(!belongs("battery_level", .biometrics) && !belongs("serial_number", .weight))
    for type in RecordType.allCases { #expect(belongs("note", type)) }
  }
}

@Suite("Codes of the host in a driver's record")
struct HostCodeAdmissionTests {
  @Test("are not understood: the record is held, and one of them alone is no measurement")
  func held() throws {
    let steps = DriverValue(metric: 0x7200, unit: 1, exponent: 0, qualifier: .exact, value: 5, raw: 5)
    let glucose = DriverValue(metric: 1, unit: 2, exponent: 0, qualifier: .exact, value: 112, raw: 112)
    let kilocalories = DriverValue(metric: 1, unit: 0x7002, exponent: 0, qualifier: .exact, value: 112, raw: 112)
    func admit(_ values: [DriverValue]) throws -> Admission {
      var admission = RecordAdmission(
        context: AdmissionContext(meter: Fixture.meter, source: Fixture.source, gatewayZone: Fixture.berlin))
      let record = DriverRecord(
        kind: .measurement, timeKind: .utc, startMicroseconds: Fixture.morning, identity: [1], identityClass: .stored,
        values: values)
      let clock = HostClockReading(utcMicroseconds: Fixture.morning + 1, isSynchronized: true)
      return try #require(admission.admit([record], clock: clock).first)
    }
    for values in [[glucose, steps], [kilocalories]] {
      guard case .commit(let item) = try admit(values) else {
        Issue.record("not committed")
        continue
      }
      #expect(item.disposition == .held(.unknownMetric))
    }
    guard case .rejected(let reason) = try admit([steps]) else {
      Issue.record("not rejected")
      return
    }
    #expect(reason.code == .noValue)
  }
}
