public import Foundation
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
    /// The receivers to which nothing is sent for a while; nil for none.
    public var waits: [SinkWaitDescription]?
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
      items: found.map { QueueItem($0) }, paused: try owner.store.isPaused(),
      limits: try QueueLimitsDescription(owner.store), waits: try SinkWaitDescription.all(in: owner.store))
  }
}

/// Where one reading's delivery stands.
public struct QueueShowRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "queue.show"
  /// The reading.
  public var reading: QueueName

  /// Asks about a reading, and those that came under its log_id.
  public init(_ reading: QueueName) { self.reading = reading }

  /// Performs it.
  public func perform(on owner: GatewayOwner) throws -> [QueueItem] {
    try owner.store.queueEntry(reading.logID).filter { reading.suspect == nil || $0.name == reading }.map {
      QueueItem($0, isWhole: true)
    }
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

  /// A reading for which it could be done.
  public struct Done: Codable, Sendable, Hashable {
    /// How it was asked for.
    public var reading: QueueName
    /// Its log_id, which is a new one for a reading that came under the log_id of another and is delivered now.
    public var logID: LogID
  }

  /// Its name on the socket.
  public static let name = "queue.decide"
  /// The decision.
  public var decision: Decision
  /// The readings.
  public var readings: [QueueName]
  /// What a person was shown who confirms: a reading that has another revision by now stays held. Nil: whatever waits.
  public var revision: Int?

  /// Decides about readings.
  public init(_ decision: Decision, _ readings: Set<QueueName>, revision: Int? = nil) {
    self.decision = decision
    self.readings = Array(readings)
    self.revision = revision
  }

  /// - Returns: The readings for which it could be done.
  /// - Throws: `StoreError`; ``GatewayError`` with code `session_ended` when the receiver has refused the token.
  public func perform(on owner: GatewayOwner) async throws -> [Done] {
    let generation = try owner.store.currentSession().generation
    let isDiscarded = decision == .discard || decision == .discardPending
    var done = try isDiscarded ? discardSuspects(in: owner.store) : []
    let names = try isDiscarded ? plainNames : confirmedNames(in: owner.store)
    let wanted = Set(names.keys)
    let changed: Set<LogID>
    switch decision {
    case .confirm: changed = try owner.store.confirm(wanted, revision: revision)
    case .resubmit: changed = try owner.store.resubmit(wanted)
    case .discard, .discardPending:
      changed = try owner.store.discard(wanted, includingPending: decision == .discardPending)
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
    // What came under another one's log_id never changes, and begins with its first revision when it gets its own.
    for reading in readings where reading.suspect != nil && revision ?? 1 == 1 {
      if let logID = try store.nameSuspect(reading) { names[logID] = reading }
    }
    return names
  }

  private func discardSuspects(in store: MeterStore) throws -> [Done] {
    try readings.filter { try $0.suspect != nil && store.discardSuspect($0) }.map { Done(reading: $0, logID: $0.logID) }
  }
}

/// Corrects a reading that is held or was refused.
public struct QueueEditRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "queue.edit"
  /// The reading.
  public var reading: QueueName
  /// New values of metrics that it has.
  public var values: [WrittenValue]
  /// A new start.
  public var time: MomentText?
  /// The zone of a time that is written without one, where the session has none.
  public var zone: String

  /// Corrects a reading.
  public init(_ reading: QueueName, values: [WrittenValue], time: MomentText?, zone: TimeZone? = nil) {
    self.reading = reading
    self.values = values
    self.time = time
    self.zone = zone?.identifier ?? GatewayZone.name
  }

  /// Performs it.
  public func perform(on owner: GatewayOwner) throws -> QueueItem {
    let entries = try owner.store.queueEntry(reading.logID).filter { $0.name == reading }
    guard let record = entries.first(where: { $0.record != nil })?.record else {
      throw GatewayError(
        .usage, code: "unknown_log_id", "no reading \(reading) waits here", hint: "`meterhost queue list` shows the ids"
      )
    }
    guard MeterStore.mayBeEdited(entries) else {
      let isSent = entries.contains { $0.state == .inFlight }
      throw GatewayError(
        .failed, code: "not_editable", "\(reading) \(isSent ? "is being sent" : "is neither held nor refused")",
        hint: isSent ? "try again in a moment" : "what waits for the receiver, or is there, is corrected there")
    }
    let person = try owner.personZone(else: zone)
    var edit = RecordEdit(time: try time.map(person.time))
    for value in values {
      let (metric, change) = try value.change(of: record)
      guard edit.values.updateValue(change, forKey: metric) == nil else {
        throw GatewayError(
          .usage, code: DraftError.Code.duplicate.rawValue,
          "\(value.metric) is there twice; which value is right cannot be told")
      }
    }
    if let changed = edit.applied(to: record) { try check(edit, changed) }
    // A reading under another one's log_id gets its own with its first correction.
    var logID = reading.logID
    if reading.suspect != nil, edit.applied(to: record) != nil, let own = try owner.store.nameSuspect(reading) {
      logID = own
    }
    guard try owner.store.edit(logID, edit) != nil else {
      throw GatewayError(.failed, code: "nothing_changed", "\(reading) says that already")
    }
    let changed = try owner.store.queueEntry(logID).filter { $0.name.suspect == nil }
    // The one that goes on waiting tells what is to be done next.
    let waiting = changed.first { $0.state == .held || $0.state == .dead }
    guard let entry = waiting ?? changed.first else {
      throw GatewayError(.failed, code: "unknown_log_id", "\(reading) has gone meanwhile")
    }
    return QueueItem(entry)
  }
}

extension QueueEditRequest {
  /// Refuses what a submission would be refused for. What was there before is not this correction's matter.
  fileprivate func check(_ edit: RecordEdit, _ changed: Record) throws(GatewayError) {
    do {
      try changed.checkCorrection(of: Set(edit.values.keys))
      if edit.time != nil { try changed.time.checkPast(.now) }
    } catch { throw GatewayError(error) }
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
  /// Whether what has to wait goes on waiting, as where a receiver has asked for it.
  public var respectsWaits: Bool

  /// Sends everything that can be sent.
  public init(respectsWaits: Bool = false) { self.respectsWaits = respectsWaits }

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
    if respectsWaits { try await delivery.proceed() } else { try await delivery.finish() }
    return try owner.store.tally()[.pending] ?? 0
  }
}
