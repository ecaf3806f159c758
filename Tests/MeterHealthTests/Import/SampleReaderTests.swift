import Foundation
import HostPrimitives
import Testing

@testable import DriverContract
@testable import MeterHealth

/// What is looked up once for each name.
@Suite("Names of an import") struct SampleReaderTests {
  private static func names(units: [String]) throws -> ImportNames {
    var names = ImportNames()
    for (index, unit) in units.enumerated() {
      let batch = try #require(ImportBatch(Array(unit.utf8)[...], ImportExtent(arena: unit.utf8.count)))
      let text = ImportRun(offset: 0, count: UInt32(unit.utf8.count))
      let none = ImportRun(offset: 0, count: 0)
      names.add(
        ImportName(
          code: 3, quantity: 0, index: UInt32(index), flags: 0, rank: 0, text: text, key: none, detail: none),
        of: batch)
    }
    return names
  }

  @Test(
    "numbers come in the unit that a quantity is held in",
    arguments: [
      (0, "kg", "81.6466266"), (1, "kg", "180"), (2, "%", "180"), (3, "kg", nil), (1, "%", nil),
      (nil, "{count}", "180"),
      (nil, "kg", nil),
    ] as [(Int?, String, String?)])
  func units(unit: Int?, target: String, expected: String?) throws {
    var cache = UnitCache()
    let names = try Self.names(units: ["lb", "kg", "%", "parsec"])
    let number = try #require(UnitCache.target(target))
    // The second time it is known.
    for _ in 0..<2 {
      let found = cache.convert(
        mantissa: 1800, exponent: -1, unit: unit.map { UInt32($0) }, to: number, names)
      switch found {
      case .value(let value): #expect(value.rounded(places: 12)?.description == expected)
      case .unknownUnit: #expect(expected == nil)
      case .tooLarge: Issue.record("it fits")
      }
    }
  }

  @Test("a number that no 128 bits hold is none") func tooLarge() throws {
    var cache = UnitCache()
    let target = try #require(UnitCache.target("kcal"))
    let found = cache.convert(
      mantissa: .max, exponent: 18, unit: 0, to: target, try Self.names(units: ["MJ"]))
    guard case .tooLarge = found else {
      Issue.record("\(found)")
      return
    }
  }

  @Test("keys have their meaning, also in other spellings") func keys() throws {
    let (second, rate) = (try #require(UnitCache.target("s")), try #require(UnitCache.target("/min")))
    #expect(AttributeKey("duration") == .number("duration", target: second))
    #expect(AttributeKey("heart_rate_min") == .number("heart_rate_minimum", target: rate))
    #expect(AttributeKey("date") == .word("date") && AttributeKey("hk:HKTimeZone") == .word("hk:HKTimeZone"))
    #expect(AttributeKey("hk:HKWeatherHumidity") == .none)
    for quantity in HealthQuantity.allCases where quantity.kind == .nutrition && quantity != .meal {
      #expect(AttributeKey(quantity.word) != .none, "\(quantity)")
    }
  }

  @Test("a window is whole local days") func window() throws {
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    // 2026-03-31 23:30 UTC is 1 April in Berlin.
    let now: Int64 = 1_775_000_000_000_000 - 1_000_000 * 200
    let recent = HealthWindow.recent.borders(in: zone, now: now)
    #expect(recent.days.count == 180 && recent.days.last?.text == "2026-04-01")
    let since = try #require(HealthWindow(since: "2026-03-30")).borders(in: zone, now: now)
    #expect(since.days.map(\.text) == ["2026-03-30", "2026-03-31", "2026-04-01"])
    let all = HealthWindow.all.borders(in: zone, now: now)
    #expect(all.days.first?.text == "2000-01-01" && all.days.last?.text == "2026-04-02")
    #expect(HealthWindow(since: "1999-12-31") == nil && HealthWindow(since: "2026-02-30") == nil)
  }
}
