package import MeterCore

/// A record of an import before it is checked: the draft, what names it, and what a later import is compared with.
///
/// ```swift
/// for entry in result.drafts(of: .apple, driver: "apple-health", version: "1.0") {
///   let record = try entry.draft.record(named: entry.name)
/// }
/// ```
package struct HealthRecordDraft: Sendable, Hashable {
  /// What a record is of.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    case day
    case intraday
    case nutrition
    case sleep
    case workout
    case measurement

    /// Whether it is a sum, which a later sample may change, and no single thing.
    package var isSum: Bool { self == .day || self == .intraday || self == .nutrition }
  }

  package let kind: Kind
  package var draft: RecordDraft
  package var name: RecordName
  /// Names under which the same thing may have been imported before; they are looked up first.
  package let alternates: [LogID]
  /// What it tells.
  package let content: TracedContent
  /// The key of the source that wrote it; empty for what several have.
  package let sourceKey: String
  /// What was measured, by the quantity's word; empty where the kind says it.
  package let word: String
  /// What the name of a measurement is made of; nil where it is another record's, or has a name of its own.
  package var place: HealthIdentity.Place?
}

extension HealthIdentity {
  /// The name of the record.
  package var recordName: RecordName {
    switch self {
    case .imported(let source, let identity): .imported(source: source, identity: identity)
    case .summary(let source, let kind, let interval): .summary(source: source, kind: kind, interval: interval)
    }
  }

  /// The record's log id.
  package var logID: LogID { recordName.logID }
}

extension HealthResult {
  /// The records of everything that receivers have a form for.
  ///
  /// Of a partial export the sums of days are left out: they may be too low. Measured values that the dictionary has no metric for
  /// are no records (``HealthResult/withoutForm``).
  ///
  /// - Parameters:
  ///   - driver: The id of the driver that read the export.
  package func drafts(of family: HealthFamily, driver: String, version: String) -> [HealthRecordDraft] {
    let writer = HealthDraftWriter(result: self, family: family, driver: driver, version: version)
    let sums = days.compactMap(writer.day) + intraday.map(writer.intraday) + nutrition.compactMap(writer.nutrition)
    return (isPartial ? [] : sums) + sleep.compactMap(writer.sleep) + workouts.compactMap(writer.workout)
      + measurements.compactMap(writer.measurement)
  }

  /// How many measurements no record can hold, by the name of what was measured.
  package var withoutForm: [String: Int] {
    var counts: [String: Int] = [:]
    for measurement in measurements where HealthDraftWriter.type(of: measurement) == nil {
      let name = measurement.metrics.first?.name ?? measurement.words.first?.name ?? measurement.kind.rawValue
      counts[name, default: 0] += 1
    }
    return counts
  }
}
