public import MeterCore

/// What is logged.
public struct LogShowRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "log.show"

  /// Asks for the settings.
  public init() {}

  /// Performs it.
  public func perform(on owner: GatewayOwner) throws -> LogDescription {
    LogDescription(try owner.store.logSettings() ?? LogSettings())
  }
}

/// Switches what is logged, from now on and for later starts.
public struct LogSetRequest: ControlRequest {
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

  /// Performs it.
  public func perform(on owner: GatewayOwner) throws -> LogDescription {
    var settings = try owner.store.logSettings() ?? LogSettings()
    for (area, volume) in volumes { settings[area] = volume }
    if let showsValues { settings.showsValues = showsValues }
    try owner.store.setLogSettings(settings)
    if !LogEnvironment.isSet { LogSwitch.shared.settings = settings }
    return LogDescription(settings)
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
