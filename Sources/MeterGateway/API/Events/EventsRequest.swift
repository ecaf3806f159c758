import HostPrimitives
public import MeterCore

/// An event as `--json` and the running service show it.
public struct EventDescription: Codable, Sendable, Hashable {
  /// Where the next listener goes on; nil for a gap.
  public var cursor: Int64?
  /// RFC 3339 in UTC.
  public var time: String?
  /// What happened; nil for a gap.
  public var happened: HostEvent?
  /// How many events the log has not kept for this listener; nil when it has kept all.
  public var missed: Int64?
  /// The record that was refused, as long as it waits for somebody to mend or discard it. It is looked up when the event is
  /// told: the log holds no health value.
  public var record: ReadingDescription?

  private enum CodingKeys: String, CodingKey { case cursor, time, event, missed, record }
  private static let gap = "missed"

  /// Describes what a listener hears.
  public init(_ element: EventSequence.Element) {
    switch element {
    case .event(let logged):
      cursor = logged.cursor
      time = CivilMoment(microseconds: logged.timeMicroseconds).text(.millionths) + "Z"
      happened = logged.event
    case .missed(let count): missed = count
    }
  }

  /// Describes what a listener hears, with the record that it is about.
  init(_ element: EventSequence.Element, in store: MeterStore) {
    self.init(element)
    guard case .recordSubmissionFailed(let refused) = happened else { return }
    // An event is told in any case.
    let waiting = try? store.refusedRecord(refused)
    record = waiting.map {
      ReadingDescription($0, state: DeliveryState.dead.word, reason: refused.reason, isWhole: true)
    }
  }

  /// The event's name.
  public var name: String { happened?.name ?? Self.gap }

  /// Reads one line of JSON.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    cursor = try container.decodeIfPresent(Int64.self, forKey: .cursor)
    time = try container.decodeIfPresent(String.self, forKey: .time)
    missed = try container.decodeIfPresent(Int64.self, forKey: .missed)
    record = try container.decodeIfPresent(ReadingDescription.self, forKey: .record)
    happened = missed == nil ? try HostEvent(from: decoder) : nil
  }

  /// Writes everything into one object.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(cursor, forKey: .cursor)
    try container.encodeIfPresent(time, forKey: .time)
    guard let happened else {
      try container.encode(Self.gap, forKey: .event)
      try container.encode(missed ?? 0, forKey: .missed)
      return
    }
    try happened.encode(to: encoder)
    try container.encodeIfPresent(record, forKey: .record)
  }
}

/// What has happened since a cursor, and what happens from now on.
public struct EventsRequest: ControlConversation {
  /// What it tells.
  public typealias Event = EventDescription

  /// Its name on the socket.
  public static let name = "events"
  /// The last event that was handled; nil: only what happens from now on when following, everything when not.
  public var after: Int64?
  /// Whether to go on when everything that has happened is told.
  public var follows: Bool

  /// Asks for events.
  public init(after: Int64?, follows: Bool) {
    self.after = after
    self.follows = follows
  }

  /// A list of what has happened.
  public var onlyLooks: Bool { !follows }

  /// Performs it.
  public func perform(on owner: GatewayOwner, with partner: ControlPartner<EventDescription>) async throws {
    follows ? try await follow(owner.store, partner) : try await list(owner.store, partner)
  }

  private func list(_ store: MeterStore, _ partner: ControlPartner<EventDescription>) async throws {
    var cursor = after ?? 0
    while !partner.patience.isOver {
      let page = try store.events(after: cursor)
      if page.missed > 0, after != nil { await partner.tell(EventDescription(.missed(page.missed))) }
      guard !page.events.isEmpty else { return }
      for event in page.events { await partner.tell(EventDescription(.event(event), in: store)) }
      cursor = page.next
    }
  }

  private func follow(_ store: MeterStore, _ partner: ControlPartner<EventDescription>) async throws {
    let events = try store.eventSequence(after: after)
    let listening = Task {
      for try await element in events { await partner.tell(EventDescription(element, in: store)) }
    }
    try await partner.patience.during {
      listening.cancel()
    } _: {
      try await withTaskCancellationHandler {
        try await listening.value
      } onCancel: {
        listening.cancel()
      }
    }
  }
}
