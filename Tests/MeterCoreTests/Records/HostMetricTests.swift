import DriverContract
import RecordSupport
import Testing

@testable import MeterCore

@Suite("The host's own metrics")
struct HostMetricTests {
  @Test("have codes that the contract's dictionary never has")
  func range() {
    #expect(Metric.dictionary.allSatisfy { !HostCodes.all.contains($0.code) })
    #expect(MetricUnit.dictionary.allSatisfy { !HostCodes.all.contains($0.code) })
    #expect(HostCodes.all.upperBound < Metric.firstVendorCode)
    #expect(MetricUnit.host.allSatisfy { HostCodes.all.contains($0.code) })
    // What follows from other values was not measured, though it is a quantity.
    let derived = [Metric.derivedFatFreeMass, Metric.derivedBodyFat]
    for metric in Metric.host {
      let isMeasured = metric.kind == .quantity && !derived.contains(metric.code)
      let range = isMeasured ? HostCodes.measured : HostCodes.facts
      #expect(range.contains(metric.code), "\(metric.name)")
      #expect(metric.isPrimary == isMeasured, "\(metric.name)")
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

  @Test("are called by their own names only, until a reader takes further ones beside them")
  func names() {
    for metric in Metric.all {
      #expect(Metric.named(metric.name) == [metric], "\(metric.name)")
      #expect(MetricNames.dictionary.metrics(named: metric.name) == [metric], "\(metric.name)")
    }
    #expect(Metric.named("nonsense").isEmpty)
    let names = MetricNames(others: ["nonsense": [24, 0xFFFF], "pulse": [24, 0x7001]])
    #expect(names.metrics(named: "nonsense").map(\.code) == [24], "a code that is none is passed over")
    #expect(names.metrics(named: "pulse").map(\.code) == [23, 24, 0x7001], "the dictionary's name goes first")
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
