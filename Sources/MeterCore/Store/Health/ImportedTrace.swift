/// What the store remembers of a record of a health export, for as long as the session of its user goes on: what an export that comes
/// later has to be compared with.
package struct ImportedTrace: Sendable, Hashable {
  /// The record's name.
  package var logID: LogID
  /// The health store that it is of, such as `apple_health`.
  package var family: String
  /// What it is, in the importer's words, such as `day`.
  package var kind: String
  /// Which quantity, where the kind has several; else empty.
  package var word: String
  /// Microseconds since 1970-01-01T00:00Z.
  package var startMicroseconds: Int64
  /// Microseconds since 1970-01-01T00:00Z.
  package var endMicroseconds: Int64
  /// The key of the source that wrote it; empty for what several have.
  package var source: String
  /// Its values, in the importer's own form.
  package var content: String
  /// When the export was written that it is from, microseconds since 1970-01-01T00:00Z.
  package var exportedMicroseconds: Int64
  /// Whether the last export that should have had it has not.
  package var isVanished = false

  /// A trace from its parts.
  package init(
    logID: LogID, family: String, kind: String, word: String, startMicroseconds: Int64, endMicroseconds: Int64,
    source: String, content: String, exportedMicroseconds: Int64
  ) {
    self.logID = logID
    self.family = family
    self.kind = kind
    self.word = word
    self.startMicroseconds = startMicroseconds
    self.endMicroseconds = endMicroseconds
    self.source = source
    self.content = content
    self.exportedMicroseconds = exportedMicroseconds
  }
}

/// A record of an export on its way into the store, with what is remembered of it.
package struct ImportedEntry: Sendable, Hashable {
  /// The record before it is checked.
  package var draft: RecordDraft
  /// What names it. A known name with other content is the next revision, whatever has changed.
  package var name: RecordName
  /// The name under which it is known, where that is another one.
  package var knownName: LogID?
  /// What is remembered.
  package var trace: ImportedTrace
  /// Further names under which it may come again.
  package var aliases: [LogID]

  /// An entry from its parts.
  package init(draft: RecordDraft, name: RecordName, trace: ImportedTrace, aliases: [LogID] = []) {
    self.draft = draft
    self.name = name
    self.trace = trace
    self.aliases = aliases
  }
}
