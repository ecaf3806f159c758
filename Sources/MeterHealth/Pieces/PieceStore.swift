import Foundation
import HostPrimitives
package import MeterCore

/// Puts pieces together: a day or a night is made of all samples that have come for it so far.
package struct PieceStore: Sendable {
  let store: MeterStore
  private let generation: SessionGeneration

  /// Samples of one piece, and of the days that it touches. What is beyond makes it partial.
  static let limit = 400_000

  package init(_ store: MeterStore, of generation: SessionGeneration) {
    self.store = store
    self.generation = generation
  }

  /// Keeps a piece, and says what the days come to that it touches.
  ///
  /// - Parameters:
  ///   - borders: The days that may be told at all.
  /// - Returns: The result, and how many samples of the piece were not known; nil where nothing of the piece lies within the days.
  /// - Throws: `StoreError`.
  package func take(
    _ pieces: HealthPieces, _ options: HealthOptions, into result: HealthResult
  ) throws(StoreError) -> (result: HealthResult, added: Int, borders: DayBorders)? {
    let borders = options.borders
    guard let first = borders.days.first else { return nil }
    var numbers: Set<Int64> = []
    let kept = kept(pieces, options, &numbers)
    let added = try store.addHealthSamples(
      kept, family: options.family.rawValue, oldest: first.number, of: generation)
    guard let low = numbers.min(), let high = numbers.max() else { return nil }
    // A night that ends on a day began on the one before, and what a piece has of an evening ends on the next.
    let days = max(first.number, low - 1)...(high + 1)
    let known = try store.healthSamples(family: options.family.rawValue, days: days, limit: Self.limit + 1)
    var touched = options
    touched.borders = borders.only(numbers)
    var collector = HealthCollector(touched)
    if known.count > Self.limit || result.isPartial { collector.markPartial() }
    add(known.prefix(Self.limit), to: &collector)
    var joined = collector.result()
    // What the piece itself is, is told of the piece.
    (joined.samples, joined.refused) = (result.samples, result.refused)
    joined.quantities = result.quantities
    joined.latestMicroseconds = result.latestMicroseconds
    return (joined, added, touched.borders)
  }

  private func kept(
    _ pieces: HealthPieces, _ options: HealthOptions, _ numbers: inout Set<Int64>
  ) -> [StoredHealthSample] {
    var counts: [Data: Int] = [:]
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return pieces.samples.compactMap { sample in
      guard pieces.sources.indices.contains(sample.source) else { return nil }
      let offset = options.borders.utcOffset(at: sample.start)
      let named = sample.text(HealthAttribute.Key.date).flatMap { CivilDate(text: $0.utf8)?.daysSince1970 }
      let day = named ?? DayBorders.day(of: sample.start, utcOffset: offset)
      guard options.borders.index(ofDay: day) != nil else { return nil }
      numbers.formUnion([day, DayBorders.day(of: sample.end, utcOffset: offset)])
      let source = pieces.sources[sample.source]
      let key = SourceKey.key(of: source, in: options.family)
      var digest = KeptSample.digest(sample, source: key)
      let number = counts[digest, default: 0]
      counts[digest] = number + 1
      if number > 0 { digest = KeptSample.digest(sample, source: key, number: number) }
      guard let content = try? encoder.encode(KeptSample(sample, of: source)) else { return nil }
      return StoredHealthSample(day: day, digest: digest, content: content)
    }
  }

  private func add(_ known: ArraySlice<StoredHealthSample>, to collector: inout HealthCollector) {
    var indices: [String: Int] = [:]
    let decoder = JSONDecoder()
    for row in known {
      guard let kept = try? decoder.decode(KeptSample.self, from: row.content), let source = kept.keptSource else {
        // A sample that cannot be read is missing: no sum without it is told.
        collector.refuse(.damaged, at: 0)
        collector.markPartial()
        continue
      }
      let name = source.key + "\u{0}" + source.name + "\u{0}" + source.detail
      let index = indices[name] ?? collector.add(source)
      indices[name] = index
      if let sample = kept.sample(source: index) { collector.add(sample) }
    }
  }
}
