import CMeterDriver

/// What a driver asks for in an import (`mh_talk_action`).
package enum ImportAction: Sendable, Hashable {
  /// `count` bytes of the source from `offset` on; fewer may be given.
  case pull(offset: UInt64, count: UInt32, token: UInt64)
  /// Everything has been read.
  case done
  /// It does not go on: why, and what to do.
  case fail(number: UInt64, text: String)
}

/// The output of one event of an import, checked: taken whole or not at all. Each round after `MH_E_FULL` is a batch.
package struct ImportUnit: Sendable {
  /// What `event` returned: `MH_OK`; `MH_E_PROTOCOL`: the bytes were refused; `MH_E_UNSUPPORTED`: the driver does not know the
  /// event, and the unit is empty; anything else ended the import.
  package var status: Int32
  /// In the driver's order; none of them is empty.
  package var batches: [ImportBatch]
  /// The names of the import up to here.
  package var names: ImportNames
  /// Whether a sample that is no part has come up to here.
  package var hasWhole: Bool
  /// Actions in order.
  package var actions: [ImportAction]
  /// Lines for the log.
  package var logs: [DriverLogLine]

  /// Makes a unit.
  package init(
    status: Int32 = 0, batches: [ImportBatch] = [], names: ImportNames = ImportNames(), hasWhole: Bool = false,
    actions: [ImportAction] = [], logs: [DriverLogLine] = []
  ) {
    self.status = status
    self.batches = batches
    self.names = names
    self.hasWhole = hasWhole
    self.actions = actions
    self.logs = logs
  }

  /// Whether what the driver has put out counts.
  package var isTaken: Bool { status == MH_OK || status == MH_E_PROTOCOL || status == MH_E_UNSUPPORTED }

  /// Whether the driver may be told more.
  package var goesOn: Bool {
    guard isTaken else { return false }
    return !actions.contains { action in
      switch action {
      case .done, .fail: true
      case .pull: false
      }
    }
  }
}

/// What the host has to do after one event of an import.
package struct ImportTurn: Sendable {
  /// The event that led to it.
  package var sequence: UInt64
  /// Samples, in their order.
  package var batches: [ImportBatch]
  /// What the indices of the samples mean.
  package var names: ImportNames
  /// What is to be done now: each pull is answered once, in any order.
  package var actions: [ImportAction]
  /// Lines for the log.
  package var logs: [DriverLogLine]
  /// Whether the driver is told nothing more. Only with ``ImportAction/done`` has everything been read.
  package var isLast: Bool
  /// Whether the driver has ended the import by a status, without a word of its own; the action says so for it.
  package var gaveUp: Bool

  /// Makes a turn.
  package init(
    sequence: UInt64, batches: [ImportBatch] = [], names: ImportNames = ImportNames(), actions: [ImportAction] = [],
    logs: [DriverLogLine] = [], isLast: Bool = false, gaveUp: Bool = false
  ) {
    self.sequence = sequence
    self.batches = batches
    self.names = names
    self.actions = actions
    self.logs = logs
    self.isLast = isLast
    self.gaveUp = gaveUp
  }
}
