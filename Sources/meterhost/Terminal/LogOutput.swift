import Foundation
import Logging
import MeterCore

/// Where log lines of the command go: to the journal when standard error is connected to it, else to standard error.
enum LogOutput {
  static func bootstrap() {
    let journal = JournalLog.ofStandardError(environment: ProcessInfo.processInfo.environment)
    LoggingSystem.bootstrap { label in
      AreaLogHandler(label: label) { line in
        // A line that the journal refuses is better in its text than nowhere.
        if journal?.write(line) != true { Terminal(outlivesOutput: true).error(text(line)) }
      }
    }
  }

  private static func text(_ line: LogLine) -> String {
    let fields = line.fields.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
    let time = Date.now.formatted(.iso8601)
    return "\(time) \(line.level) \(line.area.rawValue): \(line.message)\(fields)"
  }
}
