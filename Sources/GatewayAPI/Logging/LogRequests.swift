public import MeterCore

/// What is logged.
public struct LogShowRequest: ControlRequest {
  /// How much is logged of each area, and whether values may stand there.
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
  /// How much is logged of these areas; the others stay as they are.
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
  /// How much is logged of each area, by its name: `core`, `bluetooth`, `ocr`, `health` and `drivers`.
  public var areas: [String: OpenWord<LogVolume>]
  /// Whether health values may stand in log lines.
  public var values: Bool

  /// Describes settings.
  public init(_ settings: LogSettings) {
    areas = Dictionary(uniqueKeysWithValues: LogArea.allCases.map { ($0.rawValue, OpenWord(settings[$0])) })
    values = settings.showsValues
  }
}

extension LogSetRequest {
  private enum CodingKeys: String, CodingKey {
    case volumes
    case showsValues = "shows_values"
  }

  /// Reads a request; what is left out stays as it is.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let written = try container.decode(.volumes, else: [String: RequestWord<LogVolume>]())
    var volumes: [LogArea: LogVolume] = [:]
    for (name, volume) in written {
      guard let area = LogArea(rawValue: name) else {
        throw RequestFlaw.unknownWord(
          name, allowed: LogArea.allCases.map(\.rawValue), at: container.codingPath + [CodingKeys.volumes])
      }
      volumes[area] = volume.word
    }
    self.init(volumes: volumes, showsValues: try container.decodeIfPresent(Bool.self, forKey: .showsValues))
  }

  /// Writes it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(volumes, forKey: .volumes)
    try container.encodeIfPresent(showsValues, forKey: .showsValues)
  }
}
