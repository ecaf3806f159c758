/// What came of one feed of exports when it was asked for what it has.
public struct HealthFetchDescription: Codable, Sendable, Hashable {
  /// What came of it.
  public enum State: String, Codable, Sendable, Hashable, CaseIterable {
    /// It was imported.
    case imported
    /// The newest export of the folder was imported before.
    case known
    /// It is being imported at this moment.
    case running
    /// There is nothing.
    case nothing
    /// It could not be imported; `error` says why.
    case failed
    /// It could not be imported now, and is tried again; `error` says why.
    case waits
  }

  /// `folder` or `ingest`.
  public var feed: String
  /// The folder's path, or the name of the source that has posted.
  public var name: String
  /// The export's name in the folder; left out where there is none, and of what was posted.
  public var file: String?
  /// What came of it.
  public var state: OpenWord<State>
  /// How many records were new or changed.
  public var accepted: Int
  /// How many were there already.
  public var duplicates: Int
  /// How many samples could not be taken.
  public var refused: Int
  /// What went wrong; left out when nothing did.
  public var error: GatewayError.Written?

  package init(
    feed: String, name: String, file: String? = nil, state: State, accepted: Int = 0, duplicates: Int = 0,
    refused: Int = 0, error: GatewayError.Written? = nil
  ) {
    (self.feed, self.name, self.file, self.state) = (feed, name, file, OpenWord(state))
    (self.accepted, self.duplicates, self.refused, self.error) = (accepted, duplicates, refused, error)
  }
}

/// Imports now, without waiting until a file has settled: the newest export of each watched folder, and what was posted.
public struct HealthFetchLatestRequest: ControlRequest {
  /// What came of each feed: the folders by path, then what was posted, the oldest first.
  public typealias Answer = [HealthFetchDescription]

  /// Its name on the socket.
  public static let name = "health.fetch-latest"
  /// What was imported is known the second time.
  public static let isRepeatable = true

  /// Asks.
  public init() {}
}
