import DriverContract
import Foundation
import Testing

@testable import MeterHealth

/// What two exports of one phone have in common whatever was changed between them.
@Suite("Names of records")
struct IdentityTests {
  struct Settings {
    var zone = "Europe/Berlin"
    var isMetric = true
    var names = ["Rileys Watch", "Rileys iPhone", "Waage"]
    var isReversed = false
  }

  static func export(_ settings: Settings) -> HealthResult {
    var export = Export(zone: settings.zone, days: ("2026-01-01", "2026-01-31"))
    var calls: [(inout Export) -> Void] = []
    for day in 1...20 {
      let date = "2026-01-" + (day < 10 ? "0" : "") + "\(day)"
      calls.append { export in
        let kilograms = Double(80_000 + day * 37) / 1000
        let printed = settings.isMetric ? kilograms : kilograms / 0.45359237
        export.add(
          .weight, settings.names[2], "\(date) 07:00:00", nil, String(format: "%.4f", printed),
          unit: settings.isMetric ? "kg" : "lb")
        export.add(.steps, settings.names[0], "\(date) 10:00:00", "\(date) 11:00:00", "1000")
        export.add(.workout, settings.names[0], "\(date) 17:00:00", "\(date) 18:00:00") {
          $0.text = "HKWorkoutActivityTypeRunning"
        }
        export.sleep(.core, settings.names[0], "\(date) 01:00:00", "\(date) 06:00:00")
        export.add(.glucose, settings.names[1], "\(date) 08:00:00", nil, "5.\(day % 10)", unit: "mmol/L")
        export.add(.systolic, settings.names[1], "\(date) 08:30:00", nil, "120")
        export.add(.diastolic, settings.names[1], "\(date) 08:30:00", nil, "80")
      }
    }
    for call in settings.isReversed ? calls.reversed() : calls { call(&export) }
    return export.result
  }

  static func names(_ result: HealthResult) -> Set<HealthIdentity> {
    Set(
      result.days.map(\.identity) + result.sleep.map(\.identity) + result.workouts.map(\.identity)
        + result.measurements.map(\.identity) + result.nutrition.map(\.identity))
  }

  @Test("stay under another zone, other units, another language, and in another order")
  func stay() {
    let first = Self.names(Self.export(Settings()))
    #expect(first.count == 20 * 6)
    #expect(Self.names(Self.export(Settings(isMetric: false))) == first)
    #expect(Self.names(Self.export(Settings(names: ["Watch de Riley", "iPhone de Riley", "Balance"]))) == first)
    #expect(Self.names(Self.export(Settings(isReversed: true))) == first)
    #expect(Self.names(Self.export(Settings(zone: "America/New_York"))) == first)
  }

  @Test("values that an export prints in other units are the same content")
  func content() {
    let metric = Self.export(Settings()).measurements.map { $0.metrics["body_weight"] }
    let imperial = Self.export(Settings(isMetric: false)).measurements.map { $0.metrics["body_weight"] }
    let unlike = zip(metric, imperial).filter { $0 != $1 }
    #expect(unlike.count <= 2)
  }

  @Test("several values of one moment have names by their order in size, and a fraction of a second changes nothing")
  func ordinals() {
    func names(_ values: [String], fraction: Int64 = 0) -> [String: HealthIdentity] {
      var export = Export()
      for (index, value) in values.enumerated() {
        export.add(.glucose, "Meter \(index)", "01 08:00", nil, value) {
          $0.start += fraction
          $0.end += fraction
        }
      }
      return Dictionary(
        export.result.measurements.map { ($0.metrics["blood_glucose"], $0.identity) },
        uniquingKeysWith: { first, _ in first })
    }
    #expect(names(["100", "140"]) == names(["140", "100"], fraction: 250_000))
    #expect(names(["100", "140"])["140"] == names(["120", "90"])["120"])
    #expect(names(["100"])["100"] == names(["140", "100"])["100"])
  }

  @Test("are made of canonical bytes that never change")
  func bytes() {
    #expect(
      HealthIdentity.sample("weight", start: 1_000_000, end: 2_999_999, ordinal: 3, of: .apple)
        == .imported(
          source: Array("apple-1".utf8),
          identity: [0, 0, 0, 6] + Array("weight".utf8) + [0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 1]
            + [0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 2] + [0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 3]))
    #expect(
      HealthIdentity.day("2026-03-01", kind: "daily", of: .apple)
        == .summary(source: [0, 0, 0, 12] + Array("apple_health".utf8), kind: "daily", interval: "2026-03-01"))
    let words = HealthQuantity.allCases.map(\.word)
    #expect(Set(words).count == words.count)
  }
}
