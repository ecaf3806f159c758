import Foundation
import HostPrimitives
import Logging
import MeterCore
import StrictJSON

/// Where log lines of the command go: to the journal when standard error is connected to it, else to standard error.
enum LogOutput {
  static func bootstrap() {
    let environment = ProcessInfo.processInfo.environment
    let journal = JournalLog.ofStandardError(environment: environment)
    let isForJournal = JournalLog.isStandardError(environment: environment)
    LoggingSystem.bootstrap { label in
      AreaLogHandler(label: label) { line in
        let shown = LogLine(
          area: line.area, level: line.level, message: marked(line.message), fields: line.fields.mapValues(marked))
        RecentLog.shared.keep(shown, at: SystemClock().unixMicroseconds)
        // A line that the journal refuses is better in its text than nowhere.
        if journal?.write(shown) != true { Terminal().error(text(shown, isForJournal: isForJournal)) }
      }
    }
  }

  /// - Parameter isForJournal: Whether the journal makes a line of it, which has its own time and wants the priority in front.
  private static func text(_ line: LogLine, isForJournal: Bool) -> String {
    let fields = line.fields.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
    let time = CivilMoment.utcSeconds(microseconds: SystemClock().unixMicroseconds)
    let head = isForJournal ? JournalLog.prefix(of: line) : "\(time) \(line.level) "
    let text = "\(head)\(line.area.rawValue): \(line.message)\(fields)"
    // Nobody's text begins a line that looks like another one's.
    return text.split(whereSeparator: \.isNewline).joined(separator: "\\n")
  }
}
