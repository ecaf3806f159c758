package import MeterCore

/// Puts what an export comes to into the store: what is new or has changed, once.
///
/// Entries go in transactions of some thousands. When it is ended in between, the same export brings the rest.
package struct HealthSubmission: Sendable {
  /// What is done with an export.
  package struct Wish: Sendable {
    /// What of it is wanted.
    package var subscription: HealthSubscription
    /// The days that were read.
    package var borders: DayBorders
    /// Whether sums of an older export replace those of a newer one.
    package var isForced = false
    /// For how many of the last days steps are told in parts of five minutes.
    package var intradayDays = 0
    /// The time, microseconds since 1970-01-01T00:00Z.
    package var now: Int64

    package init(_ subscription: HealthSubscription, borders: DayBorders, now: Int64) {
      self.subscription = subscription
      self.borders = borders
      self.now = now
    }
  }

  private let store: MeterStore
  private let generation: SessionGeneration
  /// Entries of one transaction.
  private static let batch = 4_096

  package init(_ store: MeterStore, of generation: SessionGeneration) {
    self.store = store
    self.generation = generation
  }

  /// What is known of each store's sources.
  ///
  /// - Throws: `StoreError`.
  package func orders() throws(StoreError) -> [HealthFamily: SourceRanking.Order] {
    var result: [HealthFamily: SourceRanking.Order] = [:]
    for family in HealthFamily.allCases { result[family] = try order(of: family) }
    return result
  }

  private func order(of family: HealthFamily) throws(StoreError) -> SourceRanking.Order {
    let sources = try store.healthSources(family: family.rawValue)
    let chosen = sources.filter { $0.chosenPlace != nil }.sorted { ($0.chosenPlace ?? 0) < ($1.chosenPlace ?? 0) }
    return SourceRanking.Order(
      configured: chosen.filter { !$0.isOff }.map { SourceRanking.Configured($0.key) }
        + sources.filter(\.isOff).map { SourceRanking.Configured($0.key, isOff: true) },
      known: sources.map { SourceRanking.Known(key: $0.key, kind: SourceKind(rawValue: $0.kind) ?? .other) })
  }

  /// Takes what was read.
  ///
  /// - Parameter progress: Told how many of how many records are on disk.
  /// - Throws: `StoreError`; what was told is on disk all the same.
  package func submit(
    _ outcome: HealthImporter.Outcome, _ wish: Wish, progress: (@Sendable (Int, Int) -> Void)? = nil
  ) async throws(StoreError) -> HealthSubmissionReport {
    var report = HealthSubmissionReport()
    guard let (whole, borders) = try joined(outcome, wish, &report) else { return report }
    let result = whole.restricted(to: wish.subscription)
    let isPiece = outcome.pieces != nil
    let exported = exported(outcome, wish)
    // A night belongs to the day on which it ends, and began on the one before.
    let traces = try store.importedTraces(
      family: outcome.family.rawValue, from: borders.start - HealthOptions.reach, until: borders.end)
    var comparison = HealthComparison(
      family: outcome.family, borders: borders, exported: exported, isPiece: isPiece,
      isPartial: result.isPartial, isForced: wish.isForced, traces: traces)
    let drafts = comparison.settled(result).drafts(
      of: outcome.family, driver: outcome.driver, version: outcome.driverVersion)
    let names = try store.importedNames(of: comparison.wantedAliases(drafts))
    let subscribed = whole.earliest.filter { wish.subscription.quantities.contains($0.key) }
    let found = comparison.compare(drafts, names: names, quantities: result.isPartial ? nil : subscribed)
    report.unchanged = found.unchanged
    report.kept = found.kept
    report.vanished = found.vanished
    report.withoutForm = result.withoutForm
    report.withheldSums = result.isPartial ? result.days.count + result.nutrition.count : 0
    try await take(found.entries, into: &report, progress)
    try store.noteImported(found.notes, of: generation)
    try keepSources(of: whole, family: outcome.family)
    return report
  }

  /// The result with what earlier pieces have brought, and the days that it tells of.
  private func joined(
    _ outcome: HealthImporter.Outcome, _ wish: Wish, _ report: inout HealthSubmissionReport
  ) throws(StoreError) -> (HealthResult, DayBorders)? {
    guard let pieces = outcome.pieces else { return (outcome.result, wish.borders) }
    var options = HealthOptions(family: outcome.family, borders: wish.borders)
    options.exportedAt = wish.now
    options.intradayDays = wish.intradayDays
    let order = try order(of: outcome.family)
    (options.configured, options.known) = (order.configured, order.known)
    guard let taken = try PieceStore(store, of: generation).take(pieces, options, into: outcome.result) else {
      return nil
    }
    report.newSamples = taken.added
    return (taken.result, taken.borders)
  }

  /// When the export was written: as it says itself, else by its last sample, and not in the future.
  private func exported(_ outcome: HealthImporter.Outcome, _ wish: Wish) -> Int64 {
    if outcome.pieces != nil { return wish.now }
    return min(outcome.exportedMicroseconds ?? outcome.result.latestMicroseconds, wish.now)
  }

  private func take(
    _ entries: [ImportedEntry], into report: inout HealthSubmissionReport, _ progress: (@Sendable (Int, Int) -> Void)?
  ) async throws(StoreError) {
    let intake = Intake(store)
    for start in stride(from: 0, to: entries.count, by: Self.batch) {
      let part = Array(entries[start..<min(start + Self.batch, entries.count)])
      let receipts = try await intake.take(part, of: generation)
      for (entry, receipt) in zip(part, receipts) { report.add(receipt, of: entry) }
      progress?(start + part.count, entries.count)
    }
  }

  /// Keeps the order of sources, so that the next export does not turn it round.
  private func keepSources(of result: HealthResult, family: HealthFamily) throws(StoreError) {
    let names = Dictionary(
      zip(result.sourceKeys, result.sources.map(\.name)), uniquingKeysWith: { first, _ in first })
    try store.changeHealthSources(family: family.rawValue, of: generation) { sources in
      let known = Set(sources.map(\.key))
      for source in result.knownSources where !known.contains(source.key) {
        sources.append(
          StoredHealthSource(key: source.key, name: names[source.key] ?? source.key, kind: source.kind.rawValue))
      }
    }
  }
}
