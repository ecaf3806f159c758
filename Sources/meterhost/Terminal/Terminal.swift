import Foundation
import MeterGateway

/// Where a command writes: results to standard output, everything else to standard error; colours on a terminal only.
struct Terminal: Sendable {
  enum Style: String {
    case red = "31"
    case green = "32"
    case yellow = "33"
    case dim = "2"
    case bold = "1"
  }

  /// Whether standard error is a terminal that wants colours (https://no-color.org).
  let isColoured =
    isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["NO_COLOR", default: ""].isEmpty
    && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  /// Whether a person watches standard error, so that progress makes sense.
  let isInteractive = isatty(STDERR_FILENO) == 1

  /// One line of the result.
  func out(_ line: String) { Self.write(line + "\n", to: STDOUT_FILENO) }

  /// One line for the person.
  func error(_ line: String) { Self.write(line + "\n", to: STDERR_FILENO) }

  /// Replaces the current line of progress; nothing where nobody watches.
  func progress(_ text: String) {
    guard isInteractive else { return }
    Self.write("\r\u{1B}[K\(text)", to: STDERR_FILENO)
  }

  /// Removes the line of progress.
  func endProgress() { if isInteractive { Self.write("\r\u{1B}[K", to: STDERR_FILENO) } }

  /// The text in a style, where there are colours.
  func styled(_ text: String, _ style: Style) -> String {
    isColoured ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// One line of JSON with sorted keys.
  static func json(_ value: some Encodable) -> String { GatewayJSON.line(value) }

  /// Rows under a heading, columns aligned.
  func table(_ heading: [String], _ rows: [[String]]) {
    let all = [heading] + rows
    let widths = heading.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    for row in all {
      let cells = row.enumerated().map { column, cell in
        column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
      }
      out(cells.joined(separator: "  "))
    }
  }

  private static func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let written = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      guard written > 0 else {
        if errno == EINTR { continue }
        // Nobody reads standard output any more: there is nothing left to do for them.
        if descriptor == STDOUT_FILENO { exit(errno == EPIPE ? 0 : 1) }
        return
      }
      bytes = bytes.dropFirst(written)
    }
  }
}
