/// What the host has to do after one event of a conversation, in this order: put records and keys on disk, then tell the driver
/// so; carry out the actions at any time.
package struct ConversationTurn: Sendable, Hashable {
  /// The event that led to it: what ``ConversationFact/committed(through:)`` names.
  package var sequence: UInt64
  /// To be put on disk together with the keys, whole or not at all.
  package var records: [ConversationRecord]
  /// To be put on disk together with the records.
  package var writes: [DriverStorageWrite]
  /// What may be carried out now. An action that waits for a commit is not among them before that, in whichever turn.
  package var actions: [ConversationAction]
  /// Lines for the log.
  package var logs: [DriverLogLine]
  /// Whether the driver is told nothing more; actions of it may still wait for a commit.
  package var isLast: Bool

  /// Makes a turn.
  package init(
    sequence: UInt64, records: [ConversationRecord] = [], writes: [DriverStorageWrite] = [],
    actions: [ConversationAction] = [], logs: [DriverLogLine] = [], isLast: Bool = false
  ) {
    self.sequence = sequence
    self.records = records
    self.writes = writes
    self.actions = actions
    self.logs = logs
    self.isLast = isLast
  }

  /// Whether there is anything to put on disk.
  package var hasContent: Bool { !records.isEmpty || !writes.isEmpty }
}
