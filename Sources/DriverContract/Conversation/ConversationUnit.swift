import CMeterDriver

/// What a driver asks for in a conversation (`mh_talk_action`).
package enum ConversationAction: Sendable, Hashable {
  /// `count` bytes of the source from `offset` on; fewer may be given.
  case pull(offset: UInt64, count: UInt32, token: UInt64)
  /// Everything below `offset` is safe and need not be given again.
  case acknowledge(offset: UInt64, token: UInt64)
  /// `nanoseconds` from the event's monotonic clock; replaces the timer of the same token.
  case timer(token: UInt64, nanoseconds: UInt64)
  /// The content of a key.
  case readKey(String, token: UInt64)
  /// Everything wanted has been read.
  case done
  /// It does not go on: why, and what to do.
  case fail(number: UInt64, text: String)

  /// Whether it may be carried out only when the records and keys of its unit, and of all units before it, are on disk: the
  /// source may forget what it is told is safe, and what a key holds is what was written before.
  package var waitsForCommit: Bool {
    switch self {
    case .acknowledge, .readKey, .done: true
    case .pull, .timer, .fail: false
    }
  }
}

/// The output of one event of a conversation, checked: taken whole or not at all. Rounds after `MH_E_FULL` are merged.
package struct ConversationUnit: Sendable, Hashable {
  /// What `event` returned: `MH_OK`; `MH_E_PROTOCOL`: the bytes were refused; `MH_E_UNSUPPORTED`: the driver does not know the
  /// event, and the unit is empty; anything else ended the conversation.
  package var status: Int32
  /// Records in the order in which the driver put them out.
  package var records: [ConversationRecord]
  /// Actions in order.
  package var actions: [ConversationAction]
  /// Keys to commit together with the records; the last write of each key.
  package var writes: [DriverStorageWrite]
  /// Lines for the log.
  package var logs: [DriverLogLine]

  /// Makes a unit.
  package init(
    status: Int32 = 0, records: [ConversationRecord] = [], actions: [ConversationAction] = [],
    writes: [DriverStorageWrite] = [], logs: [DriverLogLine] = []
  ) {
    self.status = status
    self.records = records
    self.actions = actions
    self.writes = writes
    self.logs = logs
  }

  /// Whether there is anything to put on disk.
  package var hasContent: Bool { !records.isEmpty || !writes.isEmpty }

  /// Whether what the driver has put out counts.
  package var isTaken: Bool { status == MH_OK || status == MH_E_PROTOCOL || status == MH_E_UNSUPPORTED }

  /// Whether the driver may be told more.
  package var goesOn: Bool {
    guard isTaken else { return false }
    return !actions.contains { action in
      switch action {
      case .done, .fail: true
      case .pull, .acknowledge, .timer, .readKey: false
      }
    }
  }
}
