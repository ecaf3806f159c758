package import Logging
internal import Synchronization

/// Decides at run time what is logged of each area.
package final class LogSwitch: Sendable {
  /// The switch of this process, which ``AreaLogHandler`` obeys.
  package static let shared = LogSwitch()

  private let state = Mutex(LogSettings())

  /// A switch of its own, with nothing set.
  package init() {}

  /// What is logged now; setting it counts from the next line on.
  package var settings: LogSettings {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  /// Whether a line is logged.
  package func admits(_ area: LogArea, _ level: Logger.Level) -> Bool { state.withLock { $0[area].admits(level) } }

  /// Whether health values may stand in log lines.
  package var showsValues: Bool { state.withLock(\.showsValues) }
}

package struct LogLine: Sendable, Hashable {
  package let area: LogArea
  /// How much it matters.
  package let level: Logger.Level
  /// The text. It holds no health value unless ``LogSettings/showsValues`` is set, and never a token or a key.
  package let message: String
  /// Names and texts beside it.
  package let fields: [String: String]

  /// A line from its parts.
  package init(area: LogArea, level: Logger.Level, message: String, fields: [String: String] = [:]) {
    self.area = area
    self.level = level
    self.message = message
    self.fields = fields
  }
}

/// A handler for swift-log that obeys a ``LogSwitch`` and hands each line to its owner.
///
/// ```swift
/// LoggingSystem.bootstrap { AreaLogHandler(label: $0) { line in print(line.area, line.message) } }
/// ```
package struct AreaLogHandler: LogHandler {
  private let area: LogArea
  private let logSwitch: LogSwitch
  private let handle: @Sendable (LogLine) -> Void
  private var ownLevel = Logger.Level.trace
  /// The lowest level that is logged: the logger's own bound, or the switch's where that is higher.
  package var logLevel: Logger.Level {
    get { max(ownLevel, logSwitch.settings[area].level) }
    set { ownLevel = newValue }
  }
  /// Names and texts that every line of this logger has.
  package var metadata: Logger.Metadata = [:]

  /// A handler for a logger's label.
  package init(label: String, obeying logSwitch: LogSwitch = .shared, handle: @escaping @Sendable (LogLine) -> Void) {
    area = LogArea(label: label)
    self.logSwitch = logSwitch
    self.handle = handle
  }

  /// A name and text that every line has.
  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  /// Hands a line on if the switch admits it.
  package func log(event: LogEvent) {
    guard event.level >= ownLevel, logSwitch.admits(area, event.level) else { return }
    let fields = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues { "\($0)" }
    handle(LogLine(area: area, level: event.level, message: "\(event.message)", fields: fields))
  }
}
