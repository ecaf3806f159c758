package import DriverContract

/// Which facts a conversation may still be told, and which of its actions may be carried out (the commit rule, as R25 has it for
/// sessions). A value: it knows no process and no disk.
package struct ConversationOrder: Sendable {
  private enum State: Sendable {
    case unstarted
    case going
    /// The source is gone: only what the driver makes of that still comes.
    case ended
    /// The driver is told nothing more.
    case over
  }

  private struct Held: Sendable {
    let sequence: UInt64
    let action: ConversationAction
  }

  private let driver: String
  private var state = State.unstarted
  /// Events with content that is not on disk, in order.
  private var uncommitted: [UInt64] = []
  /// What waits for them, in order.
  private var held: [Held] = []
  /// How many events there were.
  package private(set) var sequence: UInt64 = 0

  /// The order of a new conversation.
  package init(driver: String) { self.driver = driver }

  /// Nobody answers any more.
  var hasEnded: Bool { state == .ended }

  /// Notes a fact, or refuses it.
  ///
  /// - Returns: The actions that it sets free, and whether the driver is to be told.
  /// - Throws: `DriverFault` `closed` when the conversation is over, `refused` for a fact that cannot be.
  package mutating func admit(
    _ fact: ConversationFact
  ) throws(DriverFault) -> (released: [ConversationAction], isTold: Bool) {
    switch (state, fact) {
    case (_, .committed(let last)):
      guard let first = uncommitted.first, first <= last, last <= sequence else {
        throw refused("nothing of event \(last) or before it waits for a commit")
      }
      let released = commit(through: last)
      guard state != .over else { return (released, false) }
      sequence += 1
      return (released, true)
    case (.over, _):
      throw DriverFault(.closed, driver: driver, message: "the conversation has ended; open a new one")
    case (.unstarted, .started): state = .going
    case (.unstarted, _): throw refused("a conversation begins with its start")
    case (_, .started): throw refused("a conversation starts once")
    case (.ended, _): throw refused("the conversation was told that its source is gone")
    case (.going, .ended): state = .ended
    case (.going, _): break
    }
    sequence += 1
    return ([], true)
  }

  /// Takes what the event that was noted last has led to.
  package mutating func take(_ unit: ConversationUnit, released: [ConversationAction]) -> ConversationTurn {
    guard unit.isTaken else {
      state = .over
      let words = "the driver gave up with \(statusName(unit.status)); try again, and report it when it happens again"
      return ConversationTurn(
        sequence: sequence, actions: released + [.fail(number: 0, text: words)], logs: unit.logs, isLast: true)
    }
    if unit.hasContent { uncommitted.append(sequence) }
    var free = released
    for action in unit.actions {
      if action.waitsForCommit, !uncommitted.isEmpty || !held.isEmpty {
        held.append(Held(sequence: sequence, action: action))
      } else {
        free.append(action)
      }
    }
    if !unit.goesOn { state = .over }
    return ConversationTurn(
      sequence: sequence, records: unit.records, writes: unit.writes, actions: free, logs: unit.logs,
      isLast: state == .over)
  }

  /// A driver that has failed: nothing of it is carried out any more.
  package mutating func fail() {
    state = .over
    uncommitted = []
    held = []
  }

  private mutating func commit(through last: UInt64) -> [ConversationAction] {
    uncommitted.removeAll { $0 <= last }
    let next = uncommitted.first ?? .max
    let count = held.prefix { $0.sequence < next }.count
    defer { held.removeFirst(count) }
    return held.prefix(count).map(\.action)
  }

  private func refused(_ words: String) -> DriverFault {
    DriverFault(.refused, driver: driver, rule: "R18", message: "\(words); report this host")
  }
}
