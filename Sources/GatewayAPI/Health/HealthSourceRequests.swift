/// A health store whose exports are imported.
public enum HealthStore: String, Codable, Sendable, Hashable, CaseIterable {
  /// Apple Health.
  case apple
  /// Health Connect of Android.
  case healthConnect = "health-connect"
  /// Samsung Health.
  case samsung
}

/// A program or device whose samples stood in the user's exports, as `--json` shows it.
public struct HealthSourceDescription: Codable, Sendable, Hashable {
  /// The health store in which it writes.
  public var store: OpenWord<HealthStore>
  /// What names it here; spellings of one source have one key.
  public var key: String
  /// Its name as an export has written it.
  public var name: String
  /// `watch`, `phone` or `other`.
  public var kind: String
  /// Its place, from 1, where several have recorded the same time; nil for one that is off, and for one whose place an export of Health
  /// Connect says itself.
  public var rank: Int?
  /// Whether the user has chosen its place.
  public var isChosen: Bool
  /// Whether its samples do not count.
  public var isOff: Bool

  enum CodingKeys: String, CodingKey {
    case store, key, name, kind, rank
    case isChosen = "chosen"
    case isOff = "off"
  }

  package init(
    store: HealthStore, key: String, name: String, kind: String, rank: Int?, isChosen: Bool, isOff: Bool
  ) {
    self.store = OpenWord(store)
    self.key = key
    self.name = name
    self.kind = kind
    self.rank = rank
    self.isChosen = isChosen
    self.isOff = isOff
  }
}

/// The sources that the user's exports have had.
public struct HealthSourcesRequest: ControlRequest {
  /// Store by store, those that count most first.
  public typealias Answer = [HealthSourceDescription]

  /// Its name on the socket.
  public static let name = "health.sources"
  /// It changes nothing.
  public static let onlyLooks = true
  /// What changes nothing may be asked twice.
  public static let isRepeatable = true
  /// Only those of this store.
  public var store: HealthStore?

  /// Asks for the list.
  public init(in store: HealthStore? = nil) { self.store = store }
}

/// Chooses which sources count most, where several have recorded the same time.
public struct HealthOrderRequest: ControlRequest {
  /// The sources of the store as they are then.
  public typealias Answer = [HealthSourceDescription]

  /// Its name on the socket.
  public static let name = "health.order"
  /// The same order twice is the same order.
  public static let isRepeatable = true
  /// Sources by their keys, the first counting most; those that are not named come behind them. None: no order is chosen any more.
  public var keys: [String]
  /// The store that is meant where several have these sources.
  public var store: HealthStore?

  /// Chooses an order.
  public init(_ keys: [String], in store: HealthStore? = nil) {
    self.keys = keys
    self.store = store
  }
}

/// Lets a source count, or not.
public struct HealthSourceRequest: ControlRequest {
  /// The sources of the store as they are then.
  public typealias Answer = [HealthSourceDescription]

  /// Its name on the socket.
  public static let name = "health.source"
  /// Switching off twice is switching off.
  public static let isRepeatable = true
  /// The source by its key.
  public var key: String
  /// Whether its samples do not count.
  public var isOff: Bool
  /// The store that is meant where several have this source.
  public var store: HealthStore?

  /// Switches a source.
  public init(_ key: String, off isOff: Bool, in store: HealthStore? = nil) {
    self.key = key
    self.isOff = isOff
    self.store = store
  }
}

extension HealthSourcesRequest {
  enum CodingKeys: String, CodingKey { case store }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    self.init(in: try decoder.container(keyedBy: CodingKeys.self).healthStore(.store))
  }
}

extension HealthOrderRequest {
  enum CodingKeys: String, CodingKey { case keys, store }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(try container.decode([String].self, forKey: .keys), in: try container.healthStore(.store))
  }
}

extension HealthSourceRequest {
  enum CodingKeys: String, CodingKey {
    case key, store
    case isOff = "off"
  }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try container.decode(String.self, forKey: .key), off: try container.decode(Bool.self, forKey: .isOff),
      in: try container.healthStore(.store))
  }
}

extension KeyedDecodingContainer {
  fileprivate func healthStore(_ key: Key) throws -> HealthStore? {
    try decodeIfPresent(RequestWord<HealthStore>.self, forKey: key)?.word
  }
}
