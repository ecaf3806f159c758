internal import Foundation
internal import GRDB

extension MeterStore {
  /// What waits, was refused or is never delivered, oldest first, for the current user.
  ///
  /// - Parameters:
  ///   - states: Only these states; all when empty, but for delivered readings whose content only stays for a time.
  ///   - position: Only what stands behind this entry; from the front without it.
  ///   - limit: At most so many, and the rest of the last reading's: a page ends behind a reading's last receiver, so
  ///     that the next one begins with another reading.
  ///   - isOfDefaultUser: What was read without a session, also while there is one.
  public func queueSnapshot(
    states: Set<DeliveryState> = [], after position: Int64 = 0, limit: Int = 10_000, isOfDefaultUser: Bool = false
  ) throws(StoreError) -> [QueueEntry] {
    try page(of: states, .oldestFirst, from: position, limit, isOfDefaultUser: isOfDefaultUser)
  }

  /// The same, newest first: what came last.
  ///
  /// - Parameters:
  ///   - states: Only these states; all when empty.
  ///   - position: Only what stands in front of this entry.
  ///   - limit: As for ``queueSnapshot(states:after:limit:isOfDefaultUser:)``.
  package func newestInQueue(
    states: Set<DeliveryState> = [], before position: Int64, limit: Int, isOfDefaultUser: Bool = false
  ) throws(StoreError) -> [QueueEntry] {
    try page(of: states, .newestFirst, from: position, limit, isOfDefaultUser: isOfDefaultUser)
  }

  private func page(
    of states: Set<DeliveryState>, _ order: QueueOrder, from position: Int64, _ limit: Int, isOfDefaultUser: Bool
  ) throws(StoreError) -> [QueueEntry] {
    let wanted = states.isEmpty ? Set(DeliveryState.allCases) : states
    // Where nothing is asked for by name, what is done with and only stays for a time is left out.
    let condition = states.isEmpty ? "AND NOT \(KeptRecords.condition)" : ""
    return try reading { db in
      let owner = isOfDefaultUser ? SessionUser.defaultOwnerKey : try SessionRow.fetch(db).owner
      // Each state by an index of its own: a page of a few held among a million pending costs what it shows.
      let pages = try wanted.map { state in
        let isIndexed = state == .pending ? "" : "AND state <> 'pending'"
        return try QueueEntry.fetch(
          db,
          where: """
            state = '\(state.rawValue)' \(isIndexed) \(state == .delivered ? condition : "") AND delivery.record \(order.comparison) ? AND owner = ?
            ORDER BY delivery.record \(order.direction), sink LIMIT ?
            """, arguments: [position, owner, limit])
      }
      // Nobody is told that nothing waits because it cannot be found.
      if position == order.front, pages.allSatisfy(\.isEmpty) { try HiddenRows.check(db, expecting: wanted) }
      let entries = pages.joined().sorted(by: order.isInOrder).prefix(limit)
      guard entries.count == limit, let last = entries.last?.position else { return Array(entries) }
      let states = wanted.map { "'\($0.rawValue)'" }.joined(separator: ",")
      return try entries.filter { $0.position != last }
        + QueueEntry.fetch(
          db, where: "delivery.record = ? AND state IN (\(states)) ORDER BY sink", arguments: [last])
    }
  }

  /// The deliveries of one reading; after delivery, what was remembered of it. Empty when it is not known.
  public func queueEntry(_ logID: LogID) throws(StoreError) -> [QueueEntry] {
    return try reading { db in
      let owner = try SessionRow.fetch(db).owner
      let waiting = try QueueEntry.fetch(
        db, where: "owner = ? AND log_id = ? ORDER BY record.id, sink", arguments: [owner, logID.description])
      guard waiting.isEmpty else { return waiting }
      let row = try Row.fetchOne(
        db,
        sql: """
          SELECT revision, receiver_id FROM seen
          WHERE owner = ? AND log_id = ? AND delivered_us IS NOT NULL ORDER BY revision DESC
          """, arguments: [owner, logID.description])
      guard let row else { return [] }
      let sinks = try SinkRow.names(db)
      return try sinks.compactMap { sink in
        // Nil for one that came later than the reading, or that was not to have it any more.
        let acceptance = try Acceptance.fetch(db, owner: owner, logID: logID.description, sink: sink, sinks: sinks)
        return try acceptance.map { acceptance in
          try QueueEntry(
            position: 0, record: nil, logID: logID, isSuspect: false, revision: row["revision"], sink: sink,
            state: .delivered, reason: nil, attempts: 0, nextTryMicroseconds: nil, lastError: nil,
            receiverID: acceptance.receiverID)
        }
      }
    }
  }

  /// The record that an event tells of as refused, as long as it waits among the dead letters. The log itself has no health
  /// value.
  package func refusedRecord(_ refused: HostEvent.RefusedRecord) throws(StoreError) -> Record? {
    try queueEntry(refused.logID).first { entry in
      entry.state == .dead && entry.revision == refused.revision && entry.sink == refused.sink
    }?.record
  }
}

/// From which end a queue is told.
private enum QueueOrder {
  case oldestFirst
  case newestFirst

  /// How the positions of a page compare with the one from which it goes on.
  var comparison: String {
    switch self {
    case .oldestFirst: ">"
    case .newestFirst: "<"
    }
  }

  var direction: String {
    switch self {
    case .oldestFirst: "ASC"
    case .newestFirst: "DESC"
    }
  }

  /// The position from which all of the queue is told.
  var front: Int64 {
    switch self {
    case .oldestFirst: 0
    case .newestFirst: .max
    }
  }

  /// A reading's receivers stay in the order of their names.
  func isInOrder(_ left: QueueEntry, _ right: QueueEntry) -> Bool {
    guard left.position != right.position else { return left.sink < right.sink }
    return switch self {
    case .oldestFirst: left.position < right.position
    case .newestFirst: left.position > right.position
    }
  }
}
