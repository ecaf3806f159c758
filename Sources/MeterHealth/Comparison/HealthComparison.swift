import DriverContract
package import MeterCore

/// Compares what an export comes to with what earlier ones have brought, and says what is to be stored.
///
/// A value in another unit or digit is the same, a changed one is the next revision. An older export lowers no sum, a piece lowers none
/// of a whole export, and a sum of samples lowers none that its source had merged itself.
package struct HealthComparison: Sendable {
  /// What is to be done.
  package struct Outcome: Sendable, Hashable {
    /// What is new or has changed.
    package var entries: [ImportedEntry] = []
    /// Of each of ``entries`` what it is.
    package var kinds: [HealthRecordDraft.Kind] = []
    /// How many are as they were.
    package var unchanged = 0
    /// How many are told otherwise by an export that knows less, and stay as they were.
    package var kept = 0
    /// Single things that the export should have and has not.
    package var vanished: [ImportedTrace] = []
    /// What is to be remembered otherwise, with nothing to deliver.
    package var notes: [ImportedTrace] = []
  }

  package let family: HealthFamily
  /// The days that were read.
  package let borders: DayBorders
  /// When the export was written, microseconds since 1970-01-01T00:00Z.
  package let exported: Int64
  /// Whether it is a piece, which says nothing about what is not in it.
  package let isPiece: Bool
  /// Whether something of it is missing or damaged.
  package let isPartial: Bool
  /// Whether sums of an older export replace those of a newer one.
  package let isForced: Bool
  let traces: [LogID: ImportedTrace]
  private var touched: Set<LogID> = []
  private var outcome = Outcome()

  /// - Parameter traces: What is remembered of the days, and of the one before them.
  package init(
    family: HealthFamily, borders: DayBorders, exported: Int64, isPiece: Bool = false, isPartial: Bool = false,
    isForced: Bool = false, traces: [ImportedTrace]
  ) {
    self.isPartial = isPartial
    self.family = family
    self.borders = borders
    self.exported = exported
    self.isPiece = isPiece
    self.isForced = isForced
    self.traces = Dictionary(traces.map { ($0.logID, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The result with what earlier imports know better of its days.
  package func settled(_ result: HealthResult) -> HealthResult {
    guard !result.isPartial else { return result }
    var settled = result
    settled.days = result.days.map { day in
      guard !isForced, let trace = traces[day.identity.logID], let before = TracedContent(stored: trace.content) else {
        return day
      }
      let knowsLess = exported < trace.exportedMicroseconds || isPiece && !before.isOfPieces
      return day.keeping(HealthDay(before, of: day), isOlder: knowsLess)
        .keepingTypesThatAreAbsent(HealthDay(before, of: day), in: result.quantities)
    }
    if !isPiece { settled.days += emptiedDays(result) }
    return settled
  }

  /// Days of which nothing is left: their sums are 0 now.
  private func emptiedDays(_ result: HealthResult) -> [HealthDay] {
    let told = Set(result.days.map(\.identity.logID))
    return traces.values.compactMap { trace -> HealthDay? in
      guard trace.kind == HealthRecordDraft.Kind.day.rawValue, !told.contains(trace.logID),
        exported >= trace.exportedMicroseconds, let index = borders.index(of: trace.startMicroseconds),
        let before = TracedContent(stored: trace.content)
      else { return nil }
      let day = borders.days[index]
      let identity = HealthIdentity.day(day.text, kind: "daily", of: family)
      guard identity.logID == trace.logID else { return nil }
      let empty = HealthDay(day: day, metrics: [], manualSteps: nil, mergedBySource: [], identity: identity)
      // Another phone's export begins later, and has deleted nothing.
      let covered = result.quantities.filter { result.earliest[$0] ?? .max <= day.start }
      return HealthDay(before, of: empty).emptied(of: covered)
    }.sorted { $0.day.start < $1.day.start }
  }

  // MARK: Records

  /// Names under which records may have come before and that have to be looked up: those of what is not remembered by its own name.
  package func wantedAliases(_ drafts: [HealthRecordDraft]) -> [LogID] {
    drafts.flatMap { traces[$0.name.logID] == nil ? [$0.name.logID] + $0.alternates : [] }
  }

  /// Compares records with what is remembered.
  ///
  /// - Parameters:
  ///   - names: What ``wantedAliases(_:)`` stand for.
  ///   - quantities: What the export has samples of, and the start of the first one of each; nil for one of which something is missing: nothing has vanished then.
  package mutating func compare(
    _ drafts: [HealthRecordDraft], names: [LogID: LogID], quantities: [HealthQuantity: Int64]?
  ) -> Outcome {
    outcome = Outcome()
    let drafts = isPiece ? apart(drafts) : drafts
    touched = Set(drafts.map(\.name.logID))
    for draft in drafts { compare(draft, names) }
    if let quantities, !isPiece { findVanished(quantities) }
    return outcome
  }

  private mutating func compare(_ draft: HealthRecordDraft, _ names: [LogID: LogID]) {
    let own = draft.name.logID
    // A posted document names by the time what an export names by an id of its own, and either may come first.
    let others = ([own] + draft.alternates).compactMap { names[$0] ?? (traces[$0] == nil ? nil : $0) }
    let other = others.first { $0 != own && !touched.contains($0) }
    let known = traces[own] != nil ? own : other
    if let other, known == other { touched.insert(other) }
    var content = draft.content
    content.isOfPieces = isPiece
    guard let known, let trace = traces[known], let before = TracedContent(stored: trace.content) else {
      return take(draft, content, named: known)
    }
    if content.isNearly(before) {
      outcome.unchanged += 1
      if trace.isVanished || before.isOfPieces && !isPiece {
        var note = trace
        note.isVanished = false
        note.content = content.stored
        outcome.notes.append(note)
      }
      return
    }
    if !isForced, knowsLess(draft, content, trace, before) { return outcome.kept += 1 }
    take(draft, content, named: known)
  }

  /// Whether what is remembered knows better. Days have been settled by their single sums.
  private func knowsLess(
    _ draft: HealthRecordDraft, _ content: TracedContent, _ trace: ImportedTrace, _ before: TracedContent
  ) -> Bool {
    let isOlder = exported < trace.exportedMicroseconds
    let isPart = isPiece && !before.isOfPieces || isPartial
    switch draft.kind {
    case .day: return false
    // A workout has sums of its time, and a value its place among those of its second: of a damaged export neither is sure.
    case .workout, .measurement: return isOlder || isPartial
    case .intraday, .nutrition: return (isOlder || isPart) && !content.isAtLeast(before)
    case .sleep:
      let name = before.values["sleep_duration"] == nil ? "in_bed_duration" : "sleep_duration"
      return (isOlder || isPart) && !content.isAtLeast(before, only: name)
    }
  }

  private mutating func take(_ draft: HealthRecordDraft, _ content: TracedContent, named known: LogID?) {
    let own = draft.name.logID
    let logID = known ?? own
    var entry = ImportedEntry(
      draft: draft.draft, name: draft.name,
      trace: ImportedTrace(
        logID: logID, family: family.rawValue, kind: draft.kind.rawValue, word: draft.word,
        startMicroseconds: draft.draft.time.startMicroseconds, endMicroseconds: draft.draft.time.endMicroseconds,
        source: draft.sourceKey, content: content.stored,
        exportedMicroseconds: max(exported, traces[logID]?.exportedMicroseconds ?? .min)),
      aliases: (draft.alternates + [own]).filter { $0 != logID })
    if logID != own { entry.knownName = logID }
    outcome.entries.append(entry)
    outcome.kinds.append(draft.kind)
  }

  private mutating func findVanished(_ quantities: [HealthQuantity: Int64]) {
    // It is told and no more, so what is covered begins with the first sample of whatever type.
    let oldest = quantities.values.min() ?? .max
    for trace in traces.values where !trace.isVanished && !touched.contains(trace.logID) {
      guard let kind = HealthRecordDraft.Kind(rawValue: trace.kind), !kind.isSum,
        exported >= trace.exportedMicroseconds, trace.endMicroseconds <= exported,
        trace.startMicroseconds >= borders.start, trace.endMicroseconds < borders.end,
        kind.quantities(trace.word).contains(where: { quantities[$0] != nil }),
        trace.startMicroseconds >= oldest
      else { continue }
      var note = trace
      note.isVanished = true
      outcome.notes.append(note)
      outcome.vanished.append(note)
    }
    outcome.vanished.sort { ($0.startMicroseconds, $0.word) < ($1.startMicroseconds, $1.word) }
  }
}

extension TracedContent {
  /// Whether no value of another content is larger, or missing.
  ///
  /// - Parameter only: The one value that is looked at; nil for all.
  fileprivate func isAtLeast(_ other: TracedContent, only name: String? = nil) -> Bool {
    other.values.allSatisfy { own, value in
      name.map { $0 != own } ?? false || values[own].map { $0.number >= value.number } ?? false
    }
  }
}
