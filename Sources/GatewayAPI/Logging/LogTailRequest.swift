/// The newest log lines of the running host, as it keeps them in its memory.
public struct LogTailRequest: ControlRequest {
  /// The lines, the oldest first.
  public typealias Answer = [LogLineDescription]

  /// Its name on the socket.
  public static let name = "log.tail"
  /// It changes nothing.
  public static let onlyLooks = true
  /// What changes nothing may be asked twice.
  public static let isRepeatable = true
  /// The most lines that a host keeps.
  public static let most = 500
  /// Only lines behind the one of this number; 0: all.
  public var after: Int
  /// So many at most, the newest.
  public var limit: Int

  private enum CodingKeys: String, CodingKey { case after, limit }

  /// Asks for lines.
  public init(after: Int = 0, limit: Int = 100) { (self.after, self.limit) = (after, limit) }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(after: try container.decode(.after, else: 0), limit: try container.decode(.limit, else: 100))
  }
}

/// A log line, as `--json` shows it. No health value stands in one: while such values may be logged, the host keeps no lines.
public struct LogLineDescription: Codable, Sendable, Hashable {
  /// Rises by one with each line since the host was started.
  public var number: Int
  /// When it was written, RFC 3339 in UTC.
  public var time: String
  /// How much it matters: `trace`, `debug`, `info`, `notice`, `warning`, `error` or `critical`.
  public var level: String
  /// The part of the host: `core`, `bluetooth`, `ocr`, `health` or `drivers`.
  public var area: String
  /// The text.
  public var message: String
  /// Names and texts beside it.
  public var fields: [String: String]

  package init(number: Int, time: String, level: String, area: String, message: String, fields: [String: String] = [:])
  {
    (self.number, self.time, self.level, self.area) = (number, time, level, area)
    (self.message, self.fields) = (message, fields)
  }

  /// The text with what stands beside it, by name.
  package var text: String {
    message + fields.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
  }
}
