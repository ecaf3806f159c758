import HostPrimitives
import MeterCore
import StrictJSON
import TestSupport
import Testing

@testable import FHIRBundles

/// Whatever a record holds, it has a bundle that is right or is refused.
@Suite("Bundles of random records", .timeLimit(.minutes(60)))
struct RandomRecordTests {
  @Test("a random record is refused, or has a bundle that its profiles allow", arguments: 0..<20)
  func random(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var taken = 0
    for number in 0..<100 {
      let record = Self.record(number, &generator)
      let subject: FHIRSubject = Bool.random(using: &generator) ? .reference("Patient/1") : Self.identifier
      let maker = FHIRBundleMaker(subject: subject, gateway: FHIRGateway(id: "gateway"))
      guard let bundle = try? maker.bundle(for: record) else {
        #expect(!maker.takes(record))
        continue
      }
      taken += 1
      let read = try ReadBundle(bundle)
      #expect(ProfileCheck.faults(in: read) == [])
      #expect(read.entries.count == bundle.entryCount)
      let queries = read.entries.compactMap { $0.text("request.ifNoneExist") ?? $0.text("request.url") }
      // Of a transaction with one identity twice a server makes two resources, or nothing.
      #expect(Set(queries).count == bundle.entryCount)
    }
    #expect(taken > 10)
  }

  @Test("words of meters have no control characters, and none that are empty")
  func words() throws {
    var record = try Fixture.glucose(
      from: Fixture.source(manufacturer: " Ac\u{0}me\u{1} ", model: "\u{7}", device: "S\u{0}1"))
    record = Fixture.reading(
      .diabetes, record.values, from: record.source,
      notes: [try Fixture.note("note", " \u{1}two\nlines\u{7F} "), try Fixture.note("note", "\u{0} ")])
    let read = try ReadBundle(Fixture.maker.bundle(for: record))
    #expect(read.resources[0].text("manufacturer") == "Acme" && read.resources[0].text("modelNumber") == "unknown")
    #expect(read.resources[0].text("serialNumber") == "S1")
    #expect(read.resources[2].at("note")?.elements.compactMap { $0.text("text") } == ["two\nlines"])
  }

  private static let identifier = FHIRSubject.identifier(system: "https://clinic.example/mrn", value: "47|11")

  private static func record(_ number: Int, _ generator: inout SeededGenerator) -> Record {
    let type = RecordType.allCases.randomElement(using: &generator) ?? .biometrics
    let values = (0..<Int.random(in: 1...6, using: &generator)).compactMap { _ in value(&generator) }
    let sources = [
      Fixture.meter, Fixture.serialMeter, Fixture.addressMeter, Fixture.display, Fixture.person, Fixture.store,
    ]
    return Fixture.reading(
      type, values, named: "\(number)", from: sources.randomElement(using: &generator) ?? Fixture.meter,
      origin: ValueOrigin.allCases.randomElement(using: &generator) ?? .device, time: time(&generator),
      identity: [.stored, .live, .summary].randomElement(using: &generator) ?? .stored,
      revision: Int.random(in: 1...3, using: &generator))
  }

  private static func value(_ generator: inout SeededGenerator) -> RecordValue? {
    guard let metric = Metric.all.randomElement(using: &generator),
      let allowed = metric.units.randomElement(using: &generator), let unit = MetricUnit.withUCUM(allowed.ucum)
    else { return nil }
    let exponent = metric.kind == .code ? 0 : Int8.random(in: -4...1, using: &generator)
    let mantissa =
      metric.kind == .code
      ? Int64.random(in: 0...16, using: &generator) : Int64.random(in: -9_999_999...9_999_999, using: &generator)
    return RecordValue(
      metric: metric.code, unit: unit.code, number: ReportedNumber(mantissa: mantissa, exponent: exponent),
      qualifier: ValueQualifier.allCases.randomElement(using: &generator) ?? .exact)
  }

  private static func time(_ generator: inout SeededGenerator) -> RecordTime {
    let start = Int64.random(in: 0...253_402_300_799_000_000, using: &generator)
    let length = Bool.random(using: &generator) ? 0 : Int64.random(in: 0...86_400_000_000, using: &generator)
    let offset = Bool.random(using: &generator) ? nil : Int.random(in: -64_800...64_800, using: &generator)
    let kind = [RecordTime.Kind.none, .civil, .civilWithOffset, .utc].randomElement(using: &generator) ?? .utc
    let civil =
      Bool.random(using: &generator) ? nil : start + Int64.random(in: -90_000_000...90_000_000, using: &generator)
    return RecordTime(
      startMicroseconds: start, endMicroseconds: min(start + length, 253_402_300_799_000_000), civilMicroseconds: civil,
      utcOffsetSeconds: offset, zoneSource: .gateway, kind: kind)
  }
}
