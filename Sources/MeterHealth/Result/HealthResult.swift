public import Foundation
import HostPrimitives

/// What an export comes to.
///
/// ```swift
/// for sum in result.sums where sum.metric == "steps" { print(sum.day, sum.value) }
/// print(String(decoding: try JSONEncoder().encode(result), as: UTF8.self))
/// ```
public struct HealthResult: Sendable {
  /// How many samples of each type were read, by the export's name of the type.
  public package(set) var samples: [String: Int] = [:]
  /// Whether there were more samples than are kept at a time. Shorter windows have room for them.
  package var isFull = false
  /// Of a full one, how much came for each day, in samples of sums.
  package var loads: [Int] = []
  package var days: [HealthDay] = []
  package var intraday: [IntradaySteps] = []
  package var sleep: [SleepSession] = []
  package var workouts: [HealthWorkout] = []
  package var measurements: [HealthMeasurement] = []
  package var nutrition: [DailyNutrition] = []
  package var refused: [HealthRefusal] = []
  /// Days on which the export's own summary says otherwise.
  package var differences: [HealthDifference] = []
  /// Whether something of the export is missing or damaged. Sums may then be too low, and are told but never delivered.
  public package(set) var isPartial = false
  /// The sources by their index.
  package var sources: [HealthSource] = []
  /// The keys of the sources, by their index.
  package var sourceKeys: [String] = []
  /// For the next import (``SourceRanking/known``).
  package var knownSources: [SourceRanking.Known] = []
  /// The end of the last sample, microseconds since 1970-01-01T00:00Z; 0 without one. It tells how old an export is that does not say so.
  package var latestMicroseconds: Int64 = 0
  /// The start of the first sample of each quantity that was looked at: an export says nothing of what lies before it.
  package var earliest: [HealthQuantity: Int64] = [:]
  /// The quantities of which there was a sample, within the window or not.
  package var quantities: Set<HealthQuantity> = []
}

/// What `health import --dry-run --json` prints.
///
/// ```json
/// {"samples": {"HKQuantityTypeIdentifierStepCount": 2}, "days": [{"day": "2026-03-01", "metric": "steps", "value": 1100,
/// "unit": "{count}"}], "sleep": [], "workouts": [], "measurements": 0, "refused": [], "partial": false}
/// ```
extension HealthResult: Encodable {
  private enum CodingKeys: String, CodingKey {
    case samples, days, sleep, workouts, measurements, refused, partial
  }

  private struct Sum: Encodable {
    let day: String
    let metric: String
    let value: HealthDecimal
    let unit: String
  }

  /// A name that is a metric's.
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }

  private struct Interval: Encodable {
    var day: String?
    let origin: HealthOrigin
    var texts: [(String, String)] = []
    let metrics: [HealthMetric]

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Name.self)
      if let day { try container.encode(day, forKey: Name("day")) }
      try container.encode(HealthResult.time(origin.start, origin.utcOffset), forKey: Name("start"))
      try container.encode(HealthResult.time(origin.end, origin.utcOffset), forKey: Name("end"))
      for (name, text) in texts { try container.encode(text, forKey: Name(name)) }
      for metric in metrics { try container.encode(metric.value, forKey: Name(metric.name)) }
    }
  }

  /// Writes the report.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(samples, forKey: .samples)
    try container.encode(
      days.flatMap { day in
        day.metrics.map { Sum(day: day.day.text, metric: $0.name, value: $0.value, unit: $0.unit) }
          + (day.manualSteps.map { [Sum(day: day.day.text, metric: "manual_steps", value: $0, unit: "{count}")] } ?? [])
      }, forKey: .days)
    try container.encode(
      sleep.map { Interval(day: $0.day, origin: $0.origin, metrics: $0.metrics) }, forKey: .sleep)
    try container.encode(
      workouts.map {
        Interval(origin: $0.origin, texts: [("activity", $0.name), ("category", $0.category)], metrics: $0.metrics)
      }, forKey: .workouts)
    try container.encode(measurements.count, forKey: .measurements)
    try container.encode(refused, forKey: .refused)
    try container.encode(isPartial, forKey: .partial)
  }
}

extension HealthResult {
  /// One value of a local day.
  public struct DailyValue: Sendable, Hashable {
    /// `YYYY-MM-DD`.
    public let day: String
    /// The dictionary's name, such as `steps`.
    public let metric: String
    /// As it is given out, without a rounding of its own.
    public let value: Decimal
    /// UCUM.
    public let unit: String
  }

  /// What each day comes to, in the order of time.
  public var sums: [DailyValue] {
    days.flatMap { day in
      day.metrics.map {
        DailyValue(day: day.day.text, metric: $0.name, value: $0.value.decimal, unit: $0.unit)
      }
    }
  }

  /// How many samples were refused, all reasons together.
  public var refusedCount: Int { refused.reduce(0) { $0.addingReportingOverflow($1.count).partialValue } }

  /// A moment with the offset of its clock, in whole seconds: `2026-03-01T23:10:00+01:00`.
  fileprivate static func time(_ microseconds: Int64, _ utcOffset: Int) -> String {
    CivilMoment(microseconds: microseconds + Int64(utcOffset) * 1_000_000).text(.none) + CivilMoment.offset(utcOffset)
  }
}
