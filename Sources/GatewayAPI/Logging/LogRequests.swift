public import MeterCore

/// What is logged.
public struct LogShowRequest: ControlRequest {
  /// The settings.
  public typealias Answer = LogDescription

  /// Its name on the socket.
  public static let name = "log.show"
  /// It changes nothing.
  public static let onlyLooks = true

  /// Asks for the settings.
  public init() {}
}

/// Switches what is logged, from now on and for later starts.
public struct LogSetRequest: ControlRequest {
  /// The settings that hold then.
  public typealias Answer = LogDescription

  /// Its name on the socket.
  public static let name = "log.set"
  /// How much is logged of these areas.
  public var volumes: [LogArea: LogVolume]
  /// Whether health values may stand in log lines; nil leaves it.
  public var showsValues: Bool?

  /// Switches areas.
  public init(volumes: [LogArea: LogVolume] = [:], showsValues: Bool? = nil) {
    self.volumes = volumes
    self.showsValues = showsValues
  }
}

/// Log settings as `--json` shows them.
public struct LogDescription: Codable, Sendable, Hashable {
  /// How much is logged of each area.
  public var areas: [LogArea: LogVolume]
  /// Whether health values may stand in log lines.
  public var values: Bool

  /// Describes settings.
  public init(_ settings: LogSettings) {
    areas = Dictionary(uniqueKeysWithValues: LogArea.allCases.map { ($0, settings[$0]) })
    values = settings.showsValues
  }
}
