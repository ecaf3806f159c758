public import MeterCore

/// Something that an earlier export had and the last one that should have it has not, as `--json` shows it. It holds no health value.
public struct HealthVanishedDescription: Sendable, Codable, Hashable {
  /// The record's name.
  public var logID: String
  /// The record's type; nil where this version does not know it.
  public var type: String?
  /// What it is: `sleep`, `workout`, or what was measured.
  public var kind: String
  /// When it began, RFC 3339 in UTC.
  public var start: String
  /// When it ended, RFC 3339 in UTC.
  public var end: String
  /// The receivers of the session that have it.
  public var receivers: [String]
  /// The receivers for which it still waits in the queue.
  public var waiting: [String]

  enum CodingKeys: String, CodingKey {
    case logID = "log_id"
    case type, kind, start, end, receivers, waiting
  }

  package init(
    logID: String, type: String?, kind: String, start: String, end: String, receivers: [String], waiting: [String]
  ) {
    self.logID = logID
    self.type = type
    self.kind = kind
    self.start = start
    self.end = end
    self.receivers = receivers
    self.waiting = waiting
  }
}

/// What earlier exports had and later ones have not.
public struct HealthVanishedRequest: ControlRequest {
  /// The earliest first.
  public typealias Answer = [HealthVanishedDescription]

  /// Its name on the socket.
  public static let name = "health.vanished"
  /// It changes nothing.
  public static let onlyLooks = true
  /// What changes nothing may be asked twice.
  public static let isRepeatable = true

  /// Asks.
  public init() {}
}

/// What became of a record that was to be deleted.
public struct HealthVanishedOutcome: Sendable, Codable, Hashable {
  /// A receiver whose copy stays.
  public struct Kept: Sendable, Codable, Hashable {
    /// The receiver's name.
    public var sink: String
    /// Why: `cannot_delete`, its kind or wire format has no such call; `no_record_id`, it has never said what it calls the record.
    public var reason: String

    package init(sink: String, reason: String) {
      self.sink = sink
      self.reason = reason
    }
  }

  /// The record's name.
  public var logID: String
  /// The receivers that have it no more.
  public var deleted: [String] = []
  /// The receivers whose copy stays.
  public var kept: [Kept] = []
  /// The receivers for which it waited in the queue, and waits no more.
  public var withdrawn: [String] = []
  /// Why it is still there; nil when it is forgotten.
  public var error: GatewayError.Written?

  enum CodingKeys: String, CodingKey {
    case logID = "log_id"
    case deleted, kept, withdrawn, error
  }

  package init(logID: String) { self.logID = logID }

  /// The error of a request with these outcomes; nil when nothing failed.
  public static func failure(of outcomes: [HealthVanishedOutcome]) -> GatewayError? {
    let errors = outcomes.compactMap(\.error)
    guard let first = errors.first else { return nil }
    guard outcomes.count > 1 else {
      return GatewayError(first.kind, code: first.code, first.message, hint: first.hint)
    }
    return GatewayError(
      first.kind, code: "vanish_delete",
      "\(errors.count) of \(outcomes.count) records were not deleted; the first: \(first.message)",
      hint: first.hint ?? "the others were; what was not can be deleted by the same command")
  }
}

/// Deletes records that have vanished where the session's receivers have them, and forgets them. Nothing else ever does.
public struct HealthVanishDeleteRequest: ControlRequest {
  /// An outcome for each record, in their order.
  public typealias Answer = [HealthVanishedOutcome]

  /// Its name on the socket.
  public static let name = "health.vanish-delete"
  /// The records' names.
  public var logIDs: [LogID]
  /// All that have vanished, in place of ``logIDs``.
  public var takesAll: Bool

  /// Deletes some records.
  public init(_ logIDs: [LogID]) { (self.logIDs, takesAll) = (logIDs, false) }

  /// Deletes all that have vanished.
  public static var all: HealthVanishDeleteRequest {
    var request = HealthVanishDeleteRequest([])
    request.takesAll = true
    return request
  }
}

extension HealthVanishDeleteRequest {
  enum CodingKeys: String, CodingKey {
    case logIDs = "log_ids"
    case takesAll = "all"
  }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(try container.decode(.logIDs, else: []))
    takesAll = try container.decode(.takesAll, else: false)
  }
}
