import DriverContract
import Foundation
import TestSupport
import Testing

@testable import MeterHealth

/// What a damaged or hostile export may say.
@Suite("Samples that nobody measured")
struct HostileTests {
  static let moments: [Int64] = [
    .min, .max, 0, -1, HealthOptions.earliest, HealthOptions.latest, Export.time("01 00:00"), Export.time("31 23:59"),
  ]

  static func value(_ generator: inout SeededGenerator) -> Fraction? {
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: Fraction(Int64.random(in: 0...500, using: &generator))
    case 1:
      Fraction(
        mantissa: .random(in: .min ... .max, using: &generator), exponent: .random(in: -40...40, using: &generator))
    case 2: Fraction(.random(in: .min ... .max, using: &generator), over: .random(in: 1 ... .max, using: &generator))
    case 3: Fraction(.random(in: 0...1000, using: &generator), over: .random(in: 1 ... .max, using: &generator))
    default: nil
    }
  }

  static func sample(_ generator: inout SeededGenerator, isPart: Bool = false) -> HealthSample {
    func time() -> Int64 {
      Bool.random(using: &generator)
        ? moments.randomElement(using: &generator) ?? 0
        : Int64.random(in: Export.time("01 00:00")...Export.time("31 00:00"), using: &generator)
    }
    let start = time()
    var sample = HealthSample(
      HealthQuantity.allCases.randomElement(using: &generator) ?? .steps, start: start,
      end: Bool.random(using: &generator) ? start &+ 3_600_000_000 : time(), value: value(&generator),
      source: .random(in: -1...4, using: &generator))
    sample.stage = SleepStage.allCases.randomElement(using: &generator)
    sample.text = ["stood", "idle", "pause", "Yoga", ""].randomElement(using: &generator)
    sample.modified = moments.randomElement(using: &generator) ?? 0
    sample.utcOffset = [nil, .max, .min, 3600].randomElement(using: &generator) ?? nil
    sample.flags = HealthSample.Flags(rawValue: .random(in: 0...31, using: &generator))
    for key in ["systolic", "diastolic", "steps", "duration", "core", "in_bed", "energy", "heart_rate_average"] {
      if let number = value(&generator) { sample.attributes.append(HealthAttribute(key, number)) }
    }
    sample.attributes.append(HealthAttribute("time_zone", "../../etc/localtime"))
    if !isPart { sample.parts = (0..<3).map { _ in Self.sample(&generator, isPart: true) } }
    return sample
  }

  @Test("stop nothing, and every report of them can be written", arguments: 0..<30 as Range<UInt64>)
  func random(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let family = HealthFamily.allCases[Int(seed % 3)]
    var export = Export(family) {
      $0.exportedAt = Self.moments.randomElement(using: &generator)
      ($0.intradayDays, $0.keepsHeartRates) = (7, true)
    }
    for name in ["Watch", "", "a\u{0}b", "\u{FEFF}"] { _ = export.source(HealthSource(name)) }
    for _ in 0..<150 { export.collector.add(Self.sample(&generator)) }
    #expect(try !JSONEncoder().encode(export.result).isEmpty)
  }

  @Test("are left out when they are too many, and the import is then partial")
  func tooMany() {
    var export = Export()
    for _ in 0..<HealthOptions.mostSessions + 3 { export.add(.workout, "App", "01 10:00", "01 11:00") }
    let result = export.result
    #expect(result.isPartial)
    #expect(result.refusals(.tooMany) == 3)
    #expect(result.workouts.count == 1)
  }

  @Test("a zone is taken by a name with a place only", arguments: ["EST", "../../etc/localtime", "", "Nowhere/Land"])
  func zones(name: String) throws {
    var export = Export(zone: "Europe/Berlin")
    export.sleep(.core, "Watch", "01 22:00", "02 04:00", zone: name)
    let night = try #require(export.result.sleep.first)
    #expect(!night.origin.hasOwnOffset)
    #expect(night.origin.utcOffset == 3600)
  }
}
