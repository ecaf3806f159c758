/// Imports exports of health stores: what is new or has changed goes into the queue.
public struct HealthImportRequest: ControlConversation {
  /// How far each export has come, and what came of it.
  public typealias Event = HealthImportTelling

  /// Its name on the socket.
  public static let name = "health.import"
  /// The exports by their whole paths, in the order in which they are imported.
  public var files: [String]
  /// Subscription sets and sample types; nil: what the session is subscribed to.
  public var sets: [String]?
  /// The first local day, `YYYY-MM-DD`; nil: the last 179 whole days, and today.
  public var from: String?
  /// The last local day, `YYYY-MM-DD`; nil: today. Only together with ``from``.
  public var to: String?
  /// All days since 2000.
  public var takesAll = false
  /// Whether steps are taken in parts of five minutes, too; nil: as the session is subscribed.
  public var processesIntraday: Bool?
  /// The zone of the user's days by its IANA name; nil: the session's, else the gateway's.
  public var zone: String?
  /// Import what was imported already, and let an older export replace sums of a newer one.
  public var isForced = false
  /// Whether delivery is tried before the end; a running service delivers by itself in any case.
  public var delivers = true

  /// An import with the defaults.
  public init(files: [String]) { self.files = files }
}

extension HealthImportRequest {
  enum CodingKeys: String, CodingKey {
    case files, sets, from, to, zone, delivers
    case takesAll = "all"
    case processesIntraday = "intraday"
    case isForced = "force"
  }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(files: try container.decode([String].self, forKey: .files))
    sets = try container.decodeIfPresent([String].self, forKey: .sets)
    from = try container.decodeIfPresent(String.self, forKey: .from)
    to = try container.decodeIfPresent(String.self, forKey: .to)
    takesAll = try container.decode(.takesAll, else: takesAll)
    processesIntraday = try container.decodeIfPresent(Bool.self, forKey: .processesIntraday)
    zone = try container.decodeIfPresent(String.self, forKey: .zone)
    isForced = try container.decode(.isForced, else: isForced)
    delivers = try container.decode(.delivers, else: delivers)
  }
}

/// What an import tells.
public enum HealthImportTelling: Sendable {
  /// How far it has come.
  case progress(HealthImportProgress)
  /// What came of one export.
  case done(HealthImportDescription)
  /// Something that only a later version knows, by its name.
  case other(String)
}

/// Each telling is one object, and its member `event` says which.
extension HealthImportTelling: Codable {
  private enum CodingKeys: String, CodingKey { case event }

  /// What a telling is called.
  private struct Name: RawRepresentable, Hashable, Codable, CaseIterable {
    static let progress = Name(rawValue: "progress")
    static let done = Name(rawValue: "done")
    static let allCases = [progress, done]
    let rawValue: String
  }

  /// Reads a telling by its name.
  public init(from decoder: any Decoder) throws {
    let name = try decoder.container(keyedBy: CodingKeys.self).decode(Name.self, forKey: .event)
    switch name {
    case .progress: self = .progress(try HealthImportProgress(from: decoder))
    case .done: self = .done(try HealthImportDescription(from: decoder))
    default: self = .other(name.rawValue)
    }
  }

  /// Writes the name and what belongs to it into one object.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .progress(let progress):
      try container.encode(Name.progress, forKey: .event)
      try progress.encode(to: encoder)
    case .done(let description):
      try container.encode(Name.done, forKey: .event)
      try description.encode(to: encoder)
    case .other(let name): try container.encode(name, forKey: .event)
    }
  }
}

/// How far an import has come.
public struct HealthImportProgress: Sendable, Codable, Hashable {
  /// The export.
  public var file: String
  /// The driver that reads it.
  public var driver: String
  /// Bytes that were read, of ``size``.
  public var bytes: UInt64
  /// Bytes of the export.
  public var size: UInt64
  /// Samples that were read.
  public var samples: UInt64
  /// Records that are on disk, of ``records``; nil while the export is read.
  public var stored: Int?
  /// Records that are new or have changed; nil while the export is read.
  public var records: Int?

  enum CodingKeys: String, CodingKey {
    case file, driver, bytes, size, stored, records
    // What came of an import has the samples of each type under that name.
    case samples = "samples_read"
  }

  package init(
    file: String, driver: String, bytes: UInt64, size: UInt64, samples: UInt64, stored: Int? = nil, records: Int? = nil
  ) {
    self.file = file
    self.driver = driver
    self.bytes = bytes
    self.size = size
    self.samples = samples
    self.stored = stored
    self.records = records
  }
}
