public import MeterCore

/// A page of the queue.
public struct QueueListRequest: ControlRequest {
  /// What the page holds.
  public struct Answer: Codable, Sendable {
    /// The entries, oldest first.
    public var items: [QueueItem]
    /// Whether deliveries are paused.
    public var paused: Bool
    /// How much the queue holds and may hold.
    public var limits: QueueLimitsDescription
  }

  /// Its name on the socket.
  public static let name = "queue.list"
  /// Only these states; all when empty.
  public var states: [DeliveryState]
  /// Only entries behind this position.
  public var after: Int64
  /// The most entries.
  public var limit: Int
  /// What was read without a session instead of the session's own.
  public var isOfDefaultUser: Bool

  /// A page's longest length: a longer list is asked for in parts.
  public static let longest = 1_000

  /// Asks for a page.
  public init(
    states: [DeliveryState] = [], after: Int64 = 0, limit: Int = longest, isOfDefaultUser: Bool = false
  ) {
    self.isOfDefaultUser = isOfDefaultUser
    self.states = states
    self.after = after
    self.limit = limit
  }

  /// Performs it.
  public func perform(on owner: GatewayOwner) throws -> Answer {
    let found = try owner.store.queueSnapshot(
      states: Set(states), after: after, limit: min(max(limit, 1), Self.longest), isOfDefaultUser: isOfDefaultUser)
    return Answer(
      items: found.map(QueueItem.init), paused: try owner.store.isPaused(),
      limits: try QueueLimitsDescription(owner.store))
  }
}

/// Where one reading's delivery stands.
public struct QueueShowRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "queue.show"
  /// The reading.
  public var logID: LogID

  /// Asks about a reading.
  public init(_ logID: LogID) { self.logID = logID }

  /// Performs it.
  public func perform(on owner: GatewayOwner) throws -> [QueueItem] {
    try owner.store.queueEntry(logID).map(QueueItem.init)
  }
}

/// What a person decides about readings that wait.
public struct QueueDecisionRequest: ControlRequest {
  /// What is decided.
  public enum Decision: String, Codable, Sendable {
    /// Deliver what was held.
    case confirm
    /// Send again what was refused.
    case resubmit
    /// Throw away, what would be delivered excepted.
    case discard
    /// Throw away, also what would be delivered.
    case discardPending
  }

  /// Its name on the socket.
  public static let name = "queue.decide"
  /// The decision.
  public var decision: Decision
  /// The readings.
  public var logIDs: [LogID]

  /// Decides about readings.
  public init(_ decision: Decision, _ logIDs: Set<LogID>) {
    self.decision = decision
    self.logIDs = Array(logIDs)
  }

  /// - Returns: The readings for which it could be done.
  public func perform(on owner: GatewayOwner) async throws -> [LogID] {
    let wanted = Set(logIDs)
    let done: Set<LogID>
    switch decision {
    case .confirm: done = try owner.store.confirm(wanted)
    case .resubmit: done = try owner.store.resubmit(wanted)
    case .discard, .discardPending:
      done = try owner.store.discard(wanted, includingPending: decision == .discardPending)
      // What they leave is given back at once: whoever throws away wants room.
      while try !done.isEmpty && owner.store.giveBackSpace() {}
      return Array(done)
    }
    if !done.isEmpty { try await owner.deliver(Array(done)) }
    return Array(done)
  }
}

/// Corrects a reading that is held or was refused.
public struct QueueEditRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "queue.edit"
  /// The reading.
  public var logID: LogID
  /// New values of metrics that it has.
  public var values: [WrittenValue]
  /// A new start.
  public var startMicroseconds: Int64?

  /// Corrects a reading.
  public init(_ logID: LogID, values: [WrittenValue], startMicroseconds: Int64?) {
    self.logID = logID
    self.values = values
    self.startMicroseconds = startMicroseconds
  }

  /// Performs it.
  public func perform(on owner: GatewayOwner) throws -> QueueItem {
    let entries = try owner.store.queueEntry(logID)
    guard let record = entries.first(where: { $0.record != nil })?.record else {
      throw GatewayError(
        .usage, code: "unknown_log_id", "no reading \(logID) waits here", hint: "`meterhost queue list` shows the ids")
    }
    guard MeterStore.mayBeEdited(entries) else {
      let isSent = entries.contains { $0.state == .inFlight }
      throw GatewayError(
        .failed, code: "not_editable", "\(logID) \(isSent ? "is being sent" : "is neither held nor refused")",
        hint: isSent ? "try again in a moment" : "what waits for the receiver, or is there, is corrected there")
    }
    var edit = RecordEdit(startMicroseconds: startMicroseconds)
    for value in values {
      let (metric, change) = try value.change(of: record)
      edit.values[metric] = change
    }
    guard try owner.store.edit(logID, edit) != nil else {
      throw GatewayError(.failed, code: "nothing_changed", "\(logID) says that already")
    }
    let changed = try owner.store.queueEntry(logID)
    // The one that goes on waiting tells what is to be done next.
    guard let entry = changed.first(where: { $0.state == .held || $0.state == .dead }) ?? changed.first else {
      throw GatewayError(.failed, code: "unknown_log_id", "\(logID) has gone meanwhile")
    }
    return QueueItem(entry)
  }
}

/// Pauses or resumes deliveries.
public struct QueuePauseRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "queue.pause"
  /// Whether nothing is to be sent.
  public var paused: Bool

  /// Pauses or resumes.
  public init(paused: Bool) { self.paused = paused }

  /// Performs it.
  public func perform(on owner: GatewayOwner) throws -> Bool {
    try owner.store.setPaused(paused)
    return paused
  }
}

/// Sends what waits for a later attempt.
public struct QueueFlushRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "queue.flush"

  /// Sends everything that can be sent.
  public init() {}

  /// - Returns: How many deliveries are left.
  /// - Throws: ``GatewayError``: `paused`, `no_receiver`, and what ``GatewayDelivery/finish()`` throws.
  public func perform(on owner: GatewayOwner) async throws -> Int {
    guard try !owner.store.isPaused() else {
      throw GatewayError(
        .failed, code: "paused", "deliveries are paused", hint: "`meterhost queue resume` ends it and sends")
    }
    guard let delivery = try await owner.delivery() else {
      guard try owner.store.tally()[.pending] ?? 0 == 0 else {
        throw GatewayError(
          .failed, code: "no_receiver", "there is no session with a receiver",
          hint: "start one: `meterhost session start --help`")
      }
      return 0
    }
    try await delivery.finish()
    return try owner.store.tally()[.pending] ?? 0
  }
}
