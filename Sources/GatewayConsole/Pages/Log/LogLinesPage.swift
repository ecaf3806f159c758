import GatewayAPI

/// The newest log lines of the host, the newest first.
struct LogLinesPage: ConsolePage {
  static let template = PageTemplate.loglines
  static let area: PageArea? = .log

  let title = "Log lines"
  let rows: [LogRow]
  let hasRows: Bool
  /// Where the section of the lines is by itself.
  let linesPath: String

  /// Where a page has the section to look at it again: many lines by themselves, and a few on the page of the log.
  enum Place: String, Sendable, Hashable {
    case many = "lines"
    case few = "newest"

    var path: String { "/log/\(rawValue)" }
    /// So many lines at most.
    var limit: Int { self == .many ? 200 : 30 }
  }

  init(_ lines: [LogLineDescription], at place: Place, times: LocalTimes) {
    linesPath = place.path
    rows = lines.reversed().map { LogRow($0, times: times) }
    hasRows = !lines.isEmpty
  }
}

/// A log line as a row.
struct LogRow: Sendable {
  let time: String
  let level: String
  /// For the colour.
  let mark: String
  let area: String
  let text: String

  init(_ line: LogLineDescription, times: LocalTimes) {
    time = times.text(line.time)
    level = line.level.clipped(to: 20)
    mark =
      switch line.level {
      case "error", "critical": "failed"
      case "warning": "warning"
      default: ""
      }
    area = line.area.clipped(to: 20)
    text = line.text.clipped(to: 1000)
  }
}
