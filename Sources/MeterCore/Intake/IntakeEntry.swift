public import HostErrors

/// A record that no driver has made.
public struct IntakeEntry: Sendable, Hashable {
  private enum Content: Hashable {
    case draft(RecordDraft, RecordName)
    case record(Record)
  }

  private let content: Content
  /// Whether values that no person has are held for a person's word instead of being refused.
  public var holdsImplausible = false

  /// A record in words, as a person enters it or another program writes it down.
  public static func draft(_ draft: RecordDraft, named name: RecordName = .random) -> IntakeEntry {
    IntakeEntry(content: .draft(draft, name))
  }

  /// A record that was made elsewhere, under its own name. What cannot be is refused, and what is doubtful is held.
  public static func record(_ record: Record) -> IntakeEntry { IntakeEntry(content: .record(record)) }

  private init(content: Content) { self.content = content }

  /// The record, and what is to happen with it.
  func judged(_ clock: HostClockReading, asksFirst: Bool) throws(DraftError) -> CommitRecord {
    try clock.checkKnown()
    let pending: Disposition = asksFirst ? .held(.awaitingConfirmation) : .pending
    switch content {
    case .draft(let draft, let name):
      try draft.time.checkPast(clock)
      do throws(DraftError) {
        return CommitRecord(record: try draft.record(named: name), disposition: pending)
      } catch {
        guard error.code == .implausible, holdsImplausible else { throw error }
        var kept = draft
        kept.keepsImplausible = true
        return CommitRecord(record: try kept.record(named: name), disposition: .held(.implausibleValue))
      }
    case .record(let record):
      try record.time.checkPast(clock)
      try record.checkParts()
      guard !RecordChecks.isControlSolution(record) else {
        return CommitRecord(record: record, disposition: .excluded(.controlSolution))
      }
      let reason = record.flags.contains(.takenBack) ? .takenBack : RecordChecks.hold(of: record, timing: nil, by: .all)
      return CommitRecord(record: record, disposition: reason.map { .held($0) } ?? pending)
    }
  }
}

/// Why one of several records cannot be taken; none of them was.
public struct IntakeRefusal: HostError, Hashable {
  /// Which of them, counted from 0.
  public let number: Int
  /// What is wrong with it.
  public let draft: DraftError

  init(number: Int, _ draft: DraftError) {
    self.number = number
    self.draft = draft
  }

  /// The reason.
  public var code: DraftError.Code { draft.code }
  /// What is wrong with it.
  public var message: String { draft.message }
  /// What to do about it.
  public var hint: String? { draft.hint }
  /// What is wrong with it, with its place in the record.
  public var cause: DraftError? { draft }
  /// Decides the exit status.
  public var kind: HostErrorKind { draft.kind }
  /// The message with its place in the record.
  public var fullMessage: String { draft.fullMessage }
}
