import DriverContract
import Foundation
package import MeterCore

extension PieceStore {
  /// The samples of pieces that a single thing is made of. They are kept for as long as its day is, and make it anew when a later piece
  /// touches that day.
  ///
  /// - Throws: `StoreError`.
  package func samples(of trace: ImportedTrace) throws(StoreError) -> [StoredHealthSample] {
    guard let family = HealthFamily(rawValue: trace.family) else { return [] }
    // The clock of its day is at most a day ahead of UTC or behind it.
    let days = [trace.startMicroseconds, trace.endMicroseconds].map { DayBorders.day(of: $0, utcOffset: 0) }
    let known = try store.healthSamples(
      family: trace.family, days: (days[0] - 1)...(max(days[0], days[1]) + 1), limit: Self.limit)
    let decoder = JSONDecoder()
    return known.filter { row in
      guard let kept = try? decoder.decode(KeptSample.self, from: row.content), let source = kept.keptSource,
        let sample = kept.sample(source: 0), SourceKey.key(of: source, in: family) == trace.source
      else { return false }
      return Self.isPart(sample, of: trace)
    }
  }

  private static func isPart(_ sample: HealthSample, of trace: ImportedTrace) -> Bool {
    let whole = HealthIdentity.Seconds(start: trace.startMicroseconds, end: trace.endMicroseconds)
    let own = HealthIdentity.Seconds(start: sample.start, end: sample.end)
    switch HealthRecordDraft.Kind(rawValue: trace.kind) {
    case .sleep: return sample.quantity == .sleep && own.start >= whole.start && own.end <= whole.end
    case .workout: return sample.quantity == .workout && own == whole
    case .measurement: return own == whole && isMeasured(sample.quantity, with: trace.word)
    case .day, .intraday, .nutrition, nil: return false
    }
  }

  /// Whether values of a quantity are in the record whose first value has this name.
  private static func isMeasured(_ quantity: HealthQuantity, with word: String) -> Bool {
    let first = HealthRecordDraft.Kind.measurement.quantities(word)
    if first.contains(quantity) { return true }
    let pressures: Set<HealthQuantity> = [.systolic, .diastolic, .bloodPressure]
    return first.contains { $0.isOfBody } && quantity.isOfBody
      || !pressures.isDisjoint(with: first) && pressures.contains(quantity)
  }
}
