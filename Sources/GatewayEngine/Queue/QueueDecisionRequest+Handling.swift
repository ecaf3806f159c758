package import GatewayAPI
import MeterCore

extension QueueDecisionRequest: HandledRequest {
  /// - Returns: The readings for which it could be done.
  /// - Throws: `StoreError`; ``GatewayError`` with code `session_ended` when the receiver has refused the token.
  package func perform(on owner: GatewayOwner) async throws -> [Done] {
    let generation = try owner.store.currentSession().generation
    let isDiscarded = decision == .discard || decision == .discardPending
    var done = try isDiscarded ? discardSuspects(in: owner.store) : []
    let names = try isDiscarded ? plainNames : confirmedNames(in: owner.store)
    let wanted = Set(names.keys)
    let changed: Set<LogID>
    switch decision {
    case .confirm:
      // What has got a log_id of its own begins with its first revision under it.
      let named = Set(names.filter { $0.value.suspect != nil }.keys)
      changed = try owner.store.confirm(wanted.subtracting(named), revision: revision).union(
        owner.store.confirm(named, revision: revision.map { _ in 1 }))
    case .resubmit: changed = try owner.store.resubmit(wanted, revision: revision)
    case .discard, .discardPending:
      changed = try owner.store.discard(
        wanted, includingPending: decision == .discardPending, revision: revision)
    }
    done += changed.compactMap { logID in names[logID].map { Done(reading: $0, logID: logID) } }
    guard !done.isEmpty else { return done }
    if isDiscarded {
      // What they leave is given back at once: whoever throws away wants room.
      while try owner.store.giveBackSpace() {}
    } else {
      let left = try await owner.deliver(done.map(\.logID), of: generation)
      if let left, !left.records.isEmpty {
        throw left.error(left.records.count == 1 ? "the reading is" : "\(left.records.count) readings are")
      }
    }
    return done
  }

  /// The readings with a log_id of their own.
  private var plainNames: [LogID: QueueName] {
    Dictionary(readings.filter { $0.suspect == nil }.map { ($0.logID, $0) }) { first, _ in first }
  }

  /// The readings by the log_id under which they are delivered, which some get now.
  private func confirmedNames(in store: MeterStore) throws -> [LogID: QueueName] {
    var names = plainNames
    guard decision == .confirm, try store.currentSession().user != nil else { return names }
    // What came under another one's log_id never changes: its number is the revision that is shown of it.
    for reading in readings where reading.suspect != nil && revision ?? reading.suspect == reading.suspect {
      if let logID = try store.nameSuspect(reading) { names[logID] = reading }
    }
    return names
  }

  private func discardSuspects(in store: MeterStore) throws -> [Done] {
    try readings.filter { try $0.suspect != nil && store.discardSuspect($0) }.map { Done(reading: $0, logID: $0.logID) }
  }
}
