public import MeterCore

/// An event as `--json` and the running service show it.
public struct EventDescription: Codable, Sendable, Hashable {
  /// Where the next listener goes on; nil for a gap.
  public var cursor: Int64?
  /// When it happened, RFC 3339 in UTC; nil for a gap.
  public var time: String?
  /// What happened; nil for a gap, and for an event that only a later version knows.
  public var happened: HostEvent?
  /// The name of an event that this version does not know; nil for all others.
  public var unknownName: String?
  /// How many events the log has not kept for this listener; nil when it has kept all.
  public var missed: Int64?
  /// The record that was refused, as long as it waits for somebody to mend or discard it. It is looked up when the
  /// event is told: the log holds no health value.
  public var record: ReadingDescription?

  private enum CodingKeys: String, CodingKey { case cursor, time, event, missed, record }
  private static let gap = "missed"

  /// What an event is called.
  private struct Name: RawRepresentable, Codable, CaseIterable {
    static var allCases: [Name] { (HostEvent.names + [EventDescription.gap]).map(Name.init(rawValue:)) }
    let rawValue: String
  }

  package init(
    cursor: Int64? = nil, time: String? = nil, happened: HostEvent? = nil, missed: Int64? = nil,
    record: ReadingDescription? = nil
  ) {
    self.cursor = cursor
    self.time = time
    self.happened = happened
    self.missed = missed
    self.record = record
  }

  /// The event's name.
  public var name: String { happened?.name ?? unknownName ?? Self.gap }

  /// Reads one line of JSON.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    cursor = try container.decodeIfPresent(Int64.self, forKey: .cursor)
    time = try container.decodeIfPresent(String.self, forKey: .time)
    missed = try container.decodeIfPresent(Int64.self, forKey: .missed)
    record = try container.decodeIfPresent(ReadingDescription.self, forKey: .record)
    let name = try container.decode(Name.self, forKey: .event).rawValue
    guard name != Self.gap else { return }
    guard HostEvent.names.contains(name) else {
      unknownName = name
      return
    }
    happened = try HostEvent(from: decoder)
  }

  /// Writes everything into one object.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(cursor, forKey: .cursor)
    try container.encodeIfPresent(time, forKey: .time)
    guard let happened else {
      try container.encode(name, forKey: .event)
      if unknownName == nil { try container.encode(missed ?? 0, forKey: .missed) }
      return
    }
    try happened.encode(to: encoder)
    try container.encodeIfPresent(record, forKey: .record)
  }
}

/// What has happened since a cursor, and what happens from now on.
public struct EventsRequest: ControlConversation {
  /// What has happened, oldest first, and gaps where the log has lost some.
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
}

extension EventsRequest {
  enum CodingKeys: String, CodingKey { case after, follows }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      after: try container.decodeIfPresent(Int64.self, forKey: .after),
      follows: try container.decode(.follows, else: false))
  }
}
