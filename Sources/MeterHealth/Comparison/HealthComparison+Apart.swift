import MeterCore

// Measurements of a piece that have no names of their own are named by what and when they are, and numbered among those of the piece.
// A piece does not have what other sources have measured in the same second, so its numbers may be those of their readings.
extension HealthComparison {
  /// Measurements with names under which none replaces what another source has measured.
  ///
  /// A value that is known is that one. Another value of a source is a correction of what the same source has told. What is left is a
  /// further reading of that second, under the first number that is free.
  func apart(_ drafts: [HealthRecordDraft]) -> [HealthRecordDraft] {
    let known = Dictionary(
      grouping: traces.values.filter { $0.kind == HealthRecordDraft.Kind.measurement.rawValue }
    ) { HealthIdentity.Seconds(start: $0.startMicroseconds, end: $0.endMicroseconds) }
    var result = drafts
    let places = Dictionary(grouping: drafts.indices.filter { drafts[$0].place != nil }) { drafts[$0].place }
    for (place, indices) in places {
      guard let place, let traces = known[place.seconds] else { continue }
      name(indices, of: place, among: traces, in: &result)
    }
    return result
  }

  private func name(
    _ indices: [Int], of place: HealthIdentity.Place, among traces: [ImportedTrace],
    in drafts: inout [HealthRecordDraft]
  ) {
    if indices.count == 1, traces.count == 1, isKnown(drafts[indices[0]], as: traces[0]) { return }
    let byID = Dictionary(traces.map { ($0.logID, $0) }, uniquingKeysWith: { first, _ in first })
    // Readings that were forgotten have left gaps among the numbers.
    let names = (0..<traces.count + indices.count + Self.gaps).map { place.identity($0, of: family).recordName }
    let taken = names.map { byID[$0.logID] }
    var isFree = taken.map { _ in true }
    var rest = indices
    func give(_ fits: (HealthRecordDraft, Int) -> Bool) {
      rest.removeAll { index in
        let draft = drafts[index]
        guard let number = names.indices.first(where: { isFree[$0] && fits(draft, $0) }) else { return false }
        isFree[number] = false
        drafts[index].name = names[number]
        return true
      }
    }
    give { draft, number in taken[number].map { Self.isOfOneReading(draft, $0) } ?? false }
    give { draft, number in taken[number].map { Self.isOfOneSource(draft, $0) } ?? false }
    give { draft, number in taken[number] == nil && names[number].logID == draft.name.logID }
    give { _, number in taken[number] == nil }
  }

  /// Numbers that are looked at beyond as many as there are readings.
  private static let gaps = 8

  /// Whether a measurement has the name of what it is itself.
  private func isKnown(_ draft: HealthRecordDraft, as trace: ImportedTrace) -> Bool {
    draft.name.logID == trace.logID && (Self.isOfOneReading(draft, trace) || Self.isOfOneSource(draft, trace))
  }

  private static func isOfOneReading(_ draft: HealthRecordDraft, _ trace: ImportedTrace) -> Bool {
    TracedContent(stored: trace.content).map(draft.content.isOfOneReading) ?? false
  }

  /// Where it is not known who has measured a value, a change of it is a correction.
  private static func isOfOneSource(_ draft: HealthRecordDraft, _ trace: ImportedTrace) -> Bool {
    draft.sourceKey == trace.source || draft.sourceKey.isEmpty || trace.source.isEmpty
  }
}
