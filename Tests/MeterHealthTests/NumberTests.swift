import DriverContract
import Foundation
import TestSupport
import Testing

@testable import MeterHealth

@Suite("Exact numbers")
struct NumberTests {
  @Test(
    "are rounded once, half away from zero",
    arguments: [
      (1, 3, 3, "0.333"), (2, 3, 3, "0.667"), (5, 2, 0, "3"), (-5, 2, 0, "-3"), (-1, 3, 2, "-0.33"),
      (1, 2000, 3, "0.001"),
      (0, 7, 2, "0"), (120, 1, 3, "120"), (1, 8, 2, "0.13"), (-1, 2000, 3, "-0.001"), (-1, 2001, 3, "0"),
    ] as [(Int128, Int128, Int, String)])
  func rounding(above: Int128, below: Int128, places: Int, text: String) throws {
    #expect(try #require(Fraction(above, over: below)).rounded(places: places)?.description == text)
  }

  @Test("refuse what leaves their bits")
  func overflow() throws {
    let huge = try #require(Fraction(Int128.max, over: 1))
    #expect(huge.adding(.one) == nil)
    #expect(huge.multiplied(by: Fraction(2)) == nil)
    #expect(huge.rounded(places: 0) == nil)
    #expect(Fraction(1, over: 0) == nil)
    #expect(Fraction(Int128.min, over: 1) == nil)
    #expect(Fraction(mantissa: .max, exponent: 36) == nil)
    #expect(Fraction(mantissa: 1, exponent: -37) == nil)
    #expect(huge.multiplied(by: try #require(Fraction(1, over: Int128.max))) == .one)
    #expect(Fraction(1).divided(by: .zero) == nil)
  }

  @Test("compare exactly where products leave 128 bits")
  func comparison() throws {
    let large = Int128.max - 1
    let one = try #require(Fraction(large, over: large - 1))
    let two = try #require(Fraction(large - 1, over: large - 2))
    #expect(one < two)
    #expect(!(two < one))
    #expect(Fraction(-3) < Fraction(-2))
    #expect(try #require(Fraction(-1, over: 3)) < #require(Fraction(-1, over: 4)))
  }

  @Test("are nearly equal up to two parts in a hundred thousand")
  func nearly() {
    #expect(Export.number("81.6466").isNearly(Export.number("81.6467")))
    #expect(!Export.number("81.64").isNearly(Export.number("81.65")))
    #expect(Fraction.zero.isNearly(.zero))
    #expect(!Fraction.zero.isNearly(.one))
  }

  @Test(
    "units of exports",
    arguments: [
      (HealthQuantity.distanceWalking, "mi", "1", "1609.344"), (.distanceWalking, "km", "2.5", "2500"),
      (.distanceSwimming, "yd", "100", "91.44"), (.energyActive, "kJ", "4184", "1000"),
      (.energyActive, "Cal", "7", "7"),
      (.energyActive, "J", "4184", "1"), (.energyActive, "cal", "1500", "1.5"), (.weight, "lb", "180", "81.647"),
      (.weight, "st", "10", "63.503"), (.weight, "g", "81000", "81"), (.height, "ft", "6", "182.88"),
      (.height, "m", "1.8", "180"), (.glucose, "mmol<180.1558800000541>/L", "5.5", "99.086"),
      (.glucose, "mmol/L", "10", "180.156"), (.bodyTemperature, "degF", "98.6", "37"),
      (.bodyTemperature, "degC", "37.5", "37.5"),
      (.bodyTemperature, "°C", "37.5", "37.5"), (.oxygenSaturation, "%", "97", "97"),
      (.oxygenSaturation, "fraction", "0.97", "97"),
      (.vo2Max, "mL/min·kg", "42.5", "42.5"), (.vo2Max, "ml/kg/min", "42.5", "42.5"),
      (.heartRate, "count/s", "1.5", "90"),
      (.exercise, "min", "12.5", "750"), (.systolic, "kPa", "16", "120.01"), (.dietSodium, "g", "1.5", "1500"),
      (.dietWater, "fl_oz_us", "8", "236.588"), (.basalRate, "W", "80", "1652.008"), (.steps, "count", "7", "7"),
    ])
  func units(quantity: HealthQuantity, unit: String, value: String, expected: String) throws {
    let rule = try #require(UnitTable.rule(unit, for: quantity))
    #expect(rule.converted(Export.number(value))?.rounded(places: 3)?.description == expected)
  }

  @Test(
    "units that are not known, or not of a quantity, have no rule",
    arguments: [
      (HealthQuantity.weight, "furlong"), (.weight, "m"), (.weight, ""), (.glucose, "mmol<386>/L"),
      (.glucose, "mmol<180.>/L"),
      (.glucose, "mmol<180.15x>/L"), (.steps, "m"), (.sleep, "s"), (.energyActive, "KJoule"),
    ])
  func unknownUnits(quantity: HealthQuantity, unit: String) {
    #expect(UnitTable.rule(unit, for: quantity) == nil)
  }

  @Test("sums of shares are rounded as sums of fractions are", arguments: 0..<20 as Range<UInt64>)
  func sums(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      var sum = ExactSum()
      var expected: Fraction? = .zero
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let length = Int64.random(in: 2...12, using: &generator)
        let share = ExactSum.Share(
          amount: .random(in: 0...20, using: &generator), scale: [1, 10, 4184].randomElement(using: &generator) ?? 1,
          covered: .random(in: 1..<length, using: &generator), length: length)
        sum.add(share)
        expected = expected?.adding(
          Fraction(share.amount * Int128(share.covered), over: share.scale * Int128(length)) ?? .zero)
      }
      for places in [0, 3] {
        #expect(sum.rounded(places: places) == expected?.rounded(places: places))
      }
    }
  }
}
