/// One fact of an import: what a conversation is told, as far as a file or a document can be the source (`MH_TALK_*`).
package enum ImportFact: Sendable, Hashable {
  /// The first one.
  case started
  /// Bytes of the source from `offset` on; nothing is behind them when `isLast`. Answers the pull with the token.
  case bytes([UInt8], offset: UInt64, isLast: Bool, token: UInt64)
  /// Why the pull with the token brings nothing (`MH_E_*`).
  case nothing(status: Int32, token: UInt64)
  /// The source is gone and nobody answers any more.
  case ended

  /// The same as a fact of a conversation, which it is on its way to the driver.
  package var ofConversation: ConversationFact {
    switch self {
    case .started: .started
    case .bytes(let bytes, let offset, let isLast, let token):
      .bytes(bytes, offset: offset, isLast: isLast, token: token)
    case .nothing(let status, let token): .answer(status: status, token: token)
    case .ended: .ended
    }
  }

  /// A fact of a conversation; nil for one that no import is told.
  package init?(_ fact: ConversationFact) {
    switch fact {
    case .started: self = .started
    case .bytes(let bytes, let offset, let isLast, let token):
      self = .bytes(bytes, offset: offset, isLast: isLast, token: token)
    case .answer(let status, let token): self = .nothing(status: status, token: token)
    case .ended: self = .ended
    case .timer, .value, .committed: return nil
    }
  }
}

/// One fact with its place and time in the import.
package struct ImportEvent: Sendable, Hashable {
  /// Counts the events of an import from 1.
  package var sequence: UInt64
  /// Monotonic clock, nanoseconds.
  package var monotonicNanoseconds: UInt64
  /// Wall clock, microseconds since 1970-01-01T00:00Z.
  package var unixMicroseconds: Int64
  /// What happened.
  package var fact: ImportFact

  /// Makes an event.
  package init(sequence: UInt64, monotonicNanoseconds: UInt64, unixMicroseconds: Int64, fact: ImportFact) {
    self.sequence = sequence
    self.monotonicNanoseconds = monotonicNanoseconds
    self.unixMicroseconds = unixMicroseconds
    self.fact = fact
  }
}
