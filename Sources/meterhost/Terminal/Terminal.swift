import Foundation
import GatewayAPI
import GatewayTools
import ProgramTerminal

/// Where a command writes: results to standard output, everything else to standard error; colours on a terminal only.
struct Terminal: Sendable {
  enum Stream: Int32 {
    case output = 1
    case error = 2
  }

  enum Style: String, CaseIterable {
    case red = "31"
    case green = "32"
    case yellow = "33"
    case dim = "2"
    case bold = "1"
  }

  /// Whether a person watches standard error, so that progress makes sense.
  let isInteractive = isatty(STDERR_FILENO) == 1

  /// One line of the result.
  func out(_ line: String) {
    write(TerminalText.plain(line, keepsStyles: Self.isColoured(.output)) + "\n", to: .output)
  }

  /// One line of the result that is taken as it is: JSON, a script.
  func raw(_ line: String) { write(line + "\n", to: .output) }

  /// Help as the argument parser writes it for ten thousand columns, laid out for the screen.
  func help(_ text: String) { raw(HelpLayout.text(text, width: min(Self.width(of: .output) ?? 80, 80))) }

  /// One line for the person.
  func error(_ line: String) {
    write(TerminalText.plain(line, keepsStyles: Self.isColoured(.error)) + "\n", to: .error)
  }

  /// One line of JSON about what went wrong.
  func rawError(_ line: String) { write(line + "\n", to: .error) }

  /// One line for the person of how it goes on, which `--quiet` leaves out.
  func notice(_ line: String) { if Loudness.tellsProgress { error(line) } }

  /// Replaces the current line of progress; nothing where nobody watches.
  func progress(_ text: String) {
    guard isInteractive, Loudness.tellsProgress else { return }
    write("\r\u{1B}[K\(TerminalText.plain(text, keepsStyles: false))", to: .error)
  }

  /// Removes the line of progress.
  func endProgress() { if isInteractive, Loudness.tellsProgress { write("\r\u{1B}[K", to: .error) } }

  /// The text in a style, where the stream shows colours.
  func styled(_ text: String, _ style: Style, on stream: Stream = .error) -> String {
    Self.isColoured(stream) ? TerminalText.styled(text, style) : text
  }

  /// One line of JSON with sorted keys.
  func json(_ value: some Encodable) { raw(GatewayJSON.line(value)) }

  /// Rows under a heading, columns aligned. On a terminal they fit its width: names are cut, and where that is not enough each
  /// row is a list. What is no terminal gets everything in one line a row.
  ///
  /// - Parameter names: The columns that hold names, which may be cut; by their headings.
  func table(_ heading: [String], _ rows: [[String]], names: Set<String> = ["NAME"]) {
    let keepsStyles = Self.isColoured(.output)
    let cells = ([heading] + rows).map { $0.map { TerminalText.Cell($0, keepsStyles: keepsStyles) } }
    var widths = heading.map { _ in 0 }
    for row in cells {
      for (column, cell) in row.enumerated() { widths[column] = max(widths[column], cell.width) }
    }
    let columns = Set(heading.indices.filter { names.contains(heading[$0]) })
    let layout = TableLayout(wanted: widths, names: columns, limit: Self.width(of: .output))
    guard layout.fits else { return lists(heading, rows) }
    var text = ""
    for row in cells {
      for (column, cell) in row.enumerated() {
        let cell = cell.cut(to: layout.widths[column])
        text += cell.text
        if column < heading.count - 1 { text += String(repeating: " ", count: layout.widths[column] - cell.width + 2) }
      }
      text += "\n"
    }
    write(text, to: .output)
  }

  private func lists(_ heading: [String], _ rows: [[String]]) {
    for (index, row) in rows.enumerated() {
      if index > 0 { out("") }
      list(zip(heading, row).map { (name: $0.lowercased(), value: $1) })
    }
  }

  /// Names and values in two columns; empty values are left out, and what does not fit a line goes on below it.
  func list(_ lines: [(name: String, value: String)]) {
    let width = (lines.map(\.name.count).max() ?? 0) + 2
    let gap = "\n" + String(repeating: " ", count: width)
    for (name, value) in lines where !value.isEmpty {
      let text = value.split(whereSeparator: \.isNewline).joined(separator: gap)
      out(name + String(repeating: " ", count: width - name.count) + text)
    }
  }

  /// How many columns a terminal has, 80 where it does not say; nil: it is none.
  static func width(of stream: Stream) -> Int? {
    guard isatty(stream.rawValue) == 1 else { return nil }
    var size = winsize()
    guard ioctl(stream.rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return max(40, Int(size.ws_col))
  }

  /// Whether a stream is a terminal that wants colours (https://no-color.org).
  private static func isColoured(_ stream: Stream) -> Bool {
    guard isatty(stream.rawValue) == 1 else { return false }
    let environment = ProcessInfo.processInfo.environment
    return environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
  }

  private func write(_ text: String, to stream: Stream) {
    if stream == .output, !OutputLoss.isNoted {
      guard let reason = StandardStream.put(text, to: stream.rawValue) else { return }
      OutputLoss.note(reason)
    }
    guard stream == .error || OutputLoss.tellsElsewhere else { return }
    // What standard error does not take nobody can be told.
    _ = StandardStream.put(text, to: STDERR_FILENO)
  }
}
