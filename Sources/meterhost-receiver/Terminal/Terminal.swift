import Foundation
import HostErrors
import ProgramTerminal
import StrictJSON

/// Where the program writes: results to standard output, everything else to standard error.
struct Terminal: Sendable {
  /// The exit status of something that was done and could not be told: EX_IOERR of sysexits(3).
  static let untoldStatus: Int32 = 74

  /// One line of the result.
  func out(_ line: String) { write(marked(line), to: STDOUT_FILENO) }

  /// One line of the result as JSON with sorted keys.
  func json(_ value: some Encodable) { write(Self.line(value), to: STDOUT_FILENO) }

  /// One line for the person.
  func error(_ line: String) { write(marked(line), to: STDERR_FILENO) }

  /// What went wrong, as JSON.
  func jsonError(_ value: some Encodable) { write(Self.line(value), to: STDERR_FILENO) }

  /// Rows under a heading, columns aligned.
  func table(_ heading: [String], _ rows: [[String]]) {
    let rows = ([heading] + rows).map { $0.map(marked) }
    let widths = heading.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    for row in rows {
      let cells = row.enumerated().map { column, cell in
        column == heading.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
      }
      out(cells.joined(separator: "  "))
    }
  }

  /// - Throws: ``ProgramError`` `output_closed` where standard output is known to take nothing: a token that is made is shown once.
  static func requireOutput() throws(ProgramError) {
    guard let reason = StandardStream.refusal else { return }
    throw ProgramError(
      .unavailable, code: "output_closed",
      "standard output takes nothing (\(reason)), and nothing was done: its result could not be told",
      hint: "send it to a file, or to /dev/null")
  }

  private static func line(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(value), let text = String(bytes: data, encoding: .utf8) else { return "{}" }
    return legible(json: text)
  }

  private func write(_ line: String, to descriptor: Int32) {
    guard let reason = StandardStream.put(line + "\n", to: descriptor), descriptor == STDOUT_FILENO else { return }
    // Who looked on has seen enough. Everything else is told where it can be.
    if reason == EPIPE { exit(0) }
    let words = "standard output could not be written (\(StandardStream.words(reason))); its result is:"
    _ = StandardStream.put("\(words)\n\(line)\n", to: STDERR_FILENO)
    exit(Self.untoldStatus)
  }
}
