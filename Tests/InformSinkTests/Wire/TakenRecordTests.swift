import StrictJSON
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore
@testable import InformSink

@Suite("Records that a form takes")
struct TakenRecordTests {
  private static func refusal(_ record: Record, _ format: WireFormat) -> EncodingRefusal.Code? {
    do throws(EncodingRefusal) {
      switch format {
      case .informV2: _ = try InformV2Encoder().encode(record)
      case .legacyV1: _ = try LegacyV1Encoder().encode(record)
      }
    } catch {
      return error.code
    }
    return nil
  }

  /// A record with further values of any metric that is measured, a driver's own among them. Some have no name in a form, some share
  /// one, some are there twice.
  private static func record(_ type: RecordType, using generator: inout SeededGenerator) throws -> Record {
    let record = try RandomDraft.withDetails(type, using: &generator).record()
    let further = try (0..<Int.random(in: 0...3, using: &generator)).map { _ throws -> RecordValue in
      let number = ReportedNumber(mantissa: .random(in: 1...999, using: &generator), exponent: -1)
      guard Int.random(in: 0...4, using: &generator) > 0 else {
        return RecordValue(metric: .random(in: 0x8000...0x8001, using: &generator), unit: 1, number: number)
      }
      let picked = Metric.all.filter { $0.isPrimary }.randomElement(using: &generator)
      let metric = try #require(picked)
      let unit = try #require(metric.units.first.flatMap { MetricUnit.withUCUM($0.ucum) })
      return RecordValue(metric: metric.code, unit: unit.code, number: number)
    }
    let kept = Bool.random(using: &generator) ? record.values : []
    return record.changed(values: kept + further)
  }

  @Test("are exactly those that its encoder does not refuse", arguments: WireFormat.allCases, RecordType.allCases)
  func agreement(format: WireFormat, type: RecordType) throws {
    var generator = SeededGenerator(seed: 61)
    for _ in 0..<300 {
      let record = try Self.record(type, using: &generator)
      let refusal = Self.refusal(record, format)
      #expect(
        format.takes(record) == (refusal == nil), "\(record.values.map(\.metricName)) \(String(describing: refusal))")
    }
  }

  @Test(
    "have a measured value that Inform has a name for, and none of its names twice",
    arguments: [RecordType.biometrics, .diabetes, .weight])
  func names(type: RecordType) throws {
    var generator = SeededGenerator(seed: 62)
    var taken: Set<Bool> = []
    for _ in 0..<300 {
      let record = try Self.record(type, using: &generator)
      let measured = record.values.filter { Metric.isPrimary($0.metric) }
      // What has no name stands in the extras, once.
      guard Set(measured.map(\.metric)).count == measured.count else {
        #expect(!WireFormat.informV2.takes(record))
        continue
      }
      let names = measured.compactMap { InformName.of($0.metric) }
      let isTaken = !names.isEmpty && Set(names).count == names.count
      #expect(WireFormat.informV2.takes(record) == isTaken, "\(record.values.map(\.metricName))")
      taken.insert(isTaken)
    }
    #expect(taken.count == 2, "both came")
  }

  private static func reading(_ type: RecordType, _ metrics: [UInt16]) throws -> Record {
    let template = Fixture.glucose(1)
    return Record(
      logID: template.logID, identityClass: .stored, type: type, time: template.time,
      values: try metrics.map { code in
        let ucum = Metric.withCode(code)?.units.first?.ucum ?? "1"
        return RecordValue(
          metric: code, unit: try #require(MetricUnit.withUCUM(ucum)).code,
          number: ReportedNumber(mantissa: 50, exponent: 0))
      }, source: template.source)
  }

  @Test(
    "differ between the forms",
    arguments: [
      // Glucose, an INR, a mean pressure, pulse and heart rate, a mass of fat, ferritin, glucose twice, a driver's own.
      (.diabetes, [1], true, true), (.biometrics, [5], true, false), (.biometrics, [22], false, false),
      (.biometrics, [23, 24], false, true), (.weight, [0x7020], false, true), (.biometrics, [0x710A], false, true),
      (.diabetes, [1, 1], false, false), (.biometrics, [0x8001], false, false), (.biometrics, [20, 22], true, true),
    ] as [(RecordType, [UInt16], Bool, Bool)])
  func forms(type: RecordType, metrics: [UInt16], inform: Bool, legacy: Bool) throws {
    let record = try Self.reading(type, metrics)
    #expect(WireFormat.informV2.takes(record) == inform)
    #expect(WireFormat.legacyV1.takes(record) == legacy)
  }

  @Test("have in the Legacy API no segments but those whose metrics the record has itself, which are left out")
  func segments() throws {
    var night = Fixture.night()
    night.segments[0].values = []
    var meal = Fixture.meal()
    #expect(try !WireFormat.legacyV1.takes(meal.record()), "the toast's sodium would be lost")
    meal.values.append(.init("sodium", "405.77", "mg"))
    for record in [try night.record(), try meal.record()] {
      #expect(WireFormat.allCases.allSatisfy { $0.takes(record) }, "\(record.type)")
      #expect(try LegacyV1EncoderTests.decode(record).member("segments") == nil)
    }
  }

  @Test("of words alone are biometrics of the Legacy API")
  func words() throws {
    let record = try Fixture.words().record()
    #expect(WireFormat.legacyV1.takes(record) && !WireFormat.informV2.takes(record))
  }

  @Test("are no control solution, and in the Legacy API neither series nor segments with values of their own")
  func kinds() throws {
    let control = Fixture.glucose(1, flags: .control)
    #expect(WireFormat.allCases.allSatisfy { !$0.takes(control) })
    for record in [try Fixture.glucoseSeries().record(), try Fixture.night().record(), try Fixture.meal().record()] {
      #expect(WireFormat.informV2.takes(record) && !WireFormat.legacyV1.takes(record), "\(record.type)")
    }
  }
}
