import DriverContract
import Foundation
import HostPrimitives
import Testing

@testable import MeterHealth

/// An export as tests write it: samples with times on a clock.
struct Export {
  var collector: HealthCollector
  private var sources: [String: Int] = [:]
  /// How far the clock of the times is ahead of UTC, in hours.
  var clock = 0

  /// - Parameters:
  ///   - zone: The user's.
  ///   - days: The window's first and last day.
  init(
    _ family: HealthFamily = .apple, zone: String = "UTC", zones: [(String, from: String)] = [],
    days: (String, String) = ("2026-03-01", "2026-03-31"), change: (inout HealthOptions) -> Void = { _ in }
  ) {
    let entries = zones.map {
      ZoneTable.Entry(TimeZone(identifier: $0.0) ?? .gmt, from: CivilDate(text: $0.from.utf8))
    }
    let first = CivilDate(text: days.0.utf8) ?? CivilDate(daysSince1970: 0)
    let last = CivilDate(text: days.1.utf8) ?? CivilDate(daysSince1970: 0)
    var options = HealthOptions(
      family: family,
      borders: DayBorders(
        from: first, through: last, in: ZoneTable(TimeZone(identifier: zone) ?? .gmt, entries: entries)))
    change(&options)
    collector = HealthCollector(options)
  }

  mutating func source(_ source: HealthSource) -> Int {
    if let index = sources[source.name] { return index }
    let index = collector.add(source)
    sources[source.name] = index
    return index
  }

  /// `2026-03-01 10:00:30`, or `01 10:00` of March 2026, on the clock of the export.
  func time(_ text: String) -> Int64 { Self.time(text) - Int64(clock) * 3_600_000_000 }

  static func time(_ text: String) -> Int64 {
    let full = text.count < 12 ? "2026-03-" + text : text
    let parts = full.split(separator: " ")
    let clock = parts[1].split(separator: ":").compactMap { Int64($0) }
    let day = CivilDate(text: parts[0].utf8)?.daysSince1970 ?? 0
    return (day * 86_400 + clock[0] * 3600 + clock[1] * 60 + (clock.count > 2 ? clock[2] : 0)) * 1_000_000
  }

  /// One record of a quantity.
  mutating func add(
    _ quantity: HealthQuantity, _ name: String, _ start: String, _ end: String? = nil, _ value: String? = nil,
    unit: String? = nil, change: (inout HealthSample) -> Void = { _ in }
  ) {
    let index = source(HealthSource(name))
    var sample = HealthSample(quantity, start: time(start), end: time(end ?? start), source: index)
    if let value {
      let number = Self.number(value)
      sample.value = unit.map { UnitTable.rule($0, for: quantity)?.converted(number) } ?? number
    }
    change(&sample)
    collector.add(sample)
  }

  static func number(_ text: String) -> Fraction {
    let parts = text.split(separator: ".")
    let digits = parts.count > 1 ? parts[1] : ""
    return Fraction(mantissa: Int64(parts[0] + digits) ?? 0, exponent: -digits.count) ?? .zero
  }

  mutating func sleep(_ stage: SleepStage, _ name: String, _ start: String, _ end: String, zone: String? = nil) {
    add(.sleep, name, start, end) { sample in
      sample.stage = stage
      if let zone { sample.attributes = [HealthAttribute(HealthAttribute.Key.appleZone, zone)] }
    }
  }

  var result: HealthResult { collector.result() }
}

extension HealthResult {
  /// The value of a day, such as `1700`; `-` where there is none.
  func value(_ day: String, _ metric: String) -> String {
    days.first { $0.day.text == day }?.value(metric)?.description ?? "-"
  }

  func refusals(_ reason: HealthRefusal.Reason) -> Int { refused.first { $0.reason == reason }?.count ?? 0 }
}

extension [HealthMetric] {
  subscript(_ name: String) -> String { first { $0.name == name }?.value.description ?? "-" }
}
