/// What a driver is told when a conversation opens (`mh_talk_open`).
package struct ConversationOpening: Sendable, Hashable {
  /// What the source is, in the words of the registry: the name of a format or of an interface.
  package var source: String
  /// Bytes of the source; nil: it does not say.
  package var size: UInt64?
  /// The host's clock, microseconds since 1970-01-01T00:00Z.
  package var unixMicroseconds: Int64
  /// How far local time is ahead of UTC, seconds.
  package var utcOffsetSeconds: Int32
  /// The bundle's files, by the name in the registry.
  package var assets: [String: [UInt8]]

  /// Makes an opening; what is not named is unknown or empty.
  package init(
    source: String, size: UInt64? = nil, unixMicroseconds: Int64 = 0, utcOffsetSeconds: Int32 = 0,
    assets: [String: [UInt8]] = [:]
  ) {
    self.source = source
    self.size = size
    self.unixMicroseconds = unixMicroseconds
    self.utcOffsetSeconds = utcOffsetSeconds
    self.assets = assets
  }
}

/// One fact of a conversation (`MH_TALK_*`, rule R18). A token is that of the action that the fact answers.
package enum ConversationFact: Sendable, Hashable {
  /// The first one.
  case started
  /// Bytes of the source from `offset` on; nothing is behind them when `isLast`.
  case bytes([UInt8], offset: UInt64, isLast: Bool, token: UInt64)
  /// A timer has run out.
  case timer(token: UInt64)
  /// How an action ended: 0, or the `MH_E_*` with which it could not be done.
  case answer(status: Int32, token: UInt64)
  /// The content of a key; nil: there is none.
  case value([UInt8]?, token: UInt64)
  /// Records and keys of the event with this number, and of all before it, are on disk.
  case committed(through: UInt64)
  /// The conversation is over and nobody answers any more.
  case ended
}

/// One fact with its place and time in the conversation.
package struct ConversationEvent: Sendable, Hashable {
  /// Counts the events of a conversation from 1.
  package var sequence: UInt64
  /// Monotonic clock, nanoseconds.
  package var monotonicNanoseconds: UInt64
  /// Wall clock, microseconds since 1970-01-01T00:00Z.
  package var unixMicroseconds: Int64
  /// What happened.
  package var fact: ConversationFact

  /// Makes an event.
  package init(sequence: UInt64, monotonicNanoseconds: UInt64, unixMicroseconds: Int64, fact: ConversationFact) {
    self.sequence = sequence
    self.monotonicNanoseconds = monotonicNanoseconds
    self.unixMicroseconds = unixMicroseconds
    self.fact = fact
  }
}
