/// A folder that is watched for exports, as `--json` shows it.
public struct HealthWatchDescription: Codable, Sendable, Hashable {
  /// A file that could not be imported.
  public struct Failure: Codable, Sendable, Hashable {
    /// Its name in the folder.
    public var file: String
    /// What was wrong with it.
    public var error: GatewayError.Written

    package init(file: String, error: GatewayError.Written) { (self.file, self.error) = (file, error) }
  }

  /// Its absolute path.
  public var folder: String
  /// How many exports that lie there were imported.
  public var taken: Int
  /// Exports that could not be; each is tried again when it changes.
  public var failed: [Failure]
  /// Why the folder cannot be looked at; left out when it can, and when nobody has looked.
  public var problem: String?
  /// Whether a running host watches it.
  public var isRunning: Bool

  private enum CodingKeys: String, CodingKey {
    case folder, taken, failed, problem
    case isRunning = "running"
  }

  package init(folder: String, taken: Int, failed: [Failure], problem: String?, isRunning: Bool) {
    (self.folder, self.taken, self.failed) = (folder, taken, failed)
    (self.problem, self.isRunning) = (problem, isRunning)
  }
}

/// The folders that are watched.
public struct HealthWatchListRequest: ControlRequest {
  /// The folders, by path.
  public typealias Answer = [HealthWatchDescription]

  /// Its name on the socket.
  public static let name = "health.watch-list"
  /// It changes nothing.
  public static let onlyLooks = true
  /// What changes nothing may be asked twice.
  public static let isRepeatable = true

  /// Asks.
  public init() {}
}

/// Watches a further folder for the session's user: exports that come there are imported. Nothing in it is moved or deleted.
public struct HealthWatchAddRequest: ControlRequest {
  /// All folders that are watched then.
  public typealias Answer = [HealthWatchDescription]

  /// Its name on the socket.
  public static let name = "health.watch-add"
  /// The same folder twice is the same folder.
  public static let isRepeatable = true
  /// The folder's absolute path.
  public var folder: String

  /// Watches a folder.
  public init(_ folder: String) { self.folder = folder }
}

/// Watches a folder no more; what it has brought stays.
public struct HealthWatchRemoveRequest: ControlRequest {
  /// All folders that are watched then.
  public typealias Answer = [HealthWatchDescription]

  /// Its name on the socket.
  public static let name = "health.watch-remove"
  /// The folder's absolute path.
  public var folder: String

  /// Leaves a folder alone.
  public init(_ folder: String) { self.folder = folder }
}
