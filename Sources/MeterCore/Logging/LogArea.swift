public import Logging

/// The parts of the host whose log lines are switched apart. A logger's label is `meterhost.` and the area.
public enum LogArea: String, Sendable, Hashable, Codable, CaseIterable, CodingKeyRepresentable {
  /// Sessions, the queue, deliveries, the running service.
  case core
  /// Radio, connections, reads.
  case bluetooth
  /// Reading displays with a camera.
  case ocr
  /// Exports of phones' health stores.
  case health
  /// What drivers say.
  case drivers

  private static let prefix = "meterhost."

  /// The area of a logger's label; what is none of the host's own counts as core.
  package init(label: String) {
    self = LogArea(rawValue: String(label.dropFirst(label.hasPrefix(Self.prefix) ? Self.prefix.count : 0))) ?? .core
  }

  /// A logger of this area.
  public var logger: Logger { Logger(label: Self.prefix + rawValue) }
}

/// How much of an area is logged.
public enum LogVolume: String, Sendable, Hashable, Codable, CaseIterable {
  /// The levels of swift-log, and what is above them.
  case trace, debug, info, notice, warning, error, critical
  /// Nothing.
  case off

  /// The lowest level that is logged; of nothing the highest, which the switch still refuses.
  var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .critical }

  /// Whether a line of this level is logged.
  func admits(_ level: Logger.Level) -> Bool { Logger.Level(rawValue: rawValue).map { level >= $0 } ?? false }
}

/// What is logged; kept with the state folder and switched at run time.
public struct LogSettings: Sendable, Hashable, Codable {
  /// How much of each area; areas that are not named have ``LogSettings/standard``.
  public var volumes: [LogArea: LogVolume] = [:]
  /// Whether health values may stand in log lines. Tokens and keys never do.
  public var showsValues = false

  /// What is logged of an area that nobody has set.
  public static let standard = LogVolume.warning

  enum CodingKeys: String, CodingKey {
    case volumes
    case showsValues = "shows_values"
  }

  /// Nothing set.
  public init() {}

  /// How much of an area is logged.
  package subscript(_ area: LogArea) -> LogVolume {
    get { volumes[area] ?? Self.standard }
    set { volumes[area] = newValue }
  }
}
