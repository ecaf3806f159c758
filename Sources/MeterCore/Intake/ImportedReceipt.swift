/// What became of a record of a health export.
package enum ImportedReceipt: Sendable, Hashable {
  /// The store has it.
  case taken(CommitReceipt)
  /// It cannot be a record.
  case refused(DraftError)
}

extension IntakeEntry {
  /// A record of an export. What no person has is held: a phone's app is no meter that would be read again.
  static func imported(_ entry: ImportedEntry) -> IntakeEntry {
    var taken = IntakeEntry.draft(entry.draft, named: entry.name)
    taken.holdsImplausible = true
    return taken
  }
}

extension CommitRecord {
  /// The record under the name by which it is known.
  func named(as entry: ImportedEntry) -> CommitRecord {
    guard let name = entry.knownName else { return self }
    return CommitRecord(record: record.named(name), disposition: disposition)
  }
}
