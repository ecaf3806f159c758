import ArgumentParser
import Foundation
import GatewayTools
import ProgramTerminal

/// `meterhost snap bench`: measures a labelled set of photographs.
struct SnapBench: AsyncParsableCommand, InterruptibleCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench", abstract: "Measure how well displays of a labelled set are read.",
    discussion: """
      The CSV file has the columns path, text (rows joined by a literal \\n; empty or "unreadable": no value is right) and
      boxes (x y w h in pixels of the picture as it is shown, with ; between), and may have device_type, series, rot180
      and peripheral. With --generic the boxes are rows of any display, and device_type says what they may show; without
      it the box is a meter's overlay. Single looks and the vote of several are counted apart; the summary is the vote's.
      A line that cannot be measured counts as not answered, and the others are measured all the same.

      EXAMPLES
        meterhost snap bench --labels labels.csv --generic
        meterhost snap bench --labels morepen.csv --peripheral 10001 --json
      """)

  @Option(help: ArgumentHelp("The labels.", valueName: "csv"), completion: .file())
  var labels: String
  @Flag(help: "The boxes are rows, and only device_type says what they may show.")
  var generic = false
  @Option(help: ArgumentHelp("The meter of photographs that name none.", valueName: "id"))
  var peripheral: UInt32?
  @OptionGroup var output: OutputOptions
  @OptionGroup var locations: LocationOptions

  func run() async throws {
    let bytes = try InputFile.read(labels, limit: DisplayLabels.greatestSize + 1, code: "labels")
    let set = try DisplayLabels(bytes, name: labels)
    let bench = try DisplayBench(
      set, folder: URL(fileURLWithPath: labels).deletingLastPathComponent(), gateway: locations.gateway(),
      peripheral: peripheral, isGeneric: generic)
    let (terminal, json, all) = (Terminal(), output.json, set.photographs.count)
    let work = Task {
      try await bench.run { line, done in
        json ? terminal.json(BenchLineDescription(line)) : Self.show(line, on: terminal)
        terminal.progress("\(done) of \(all)")
      }
    }
    let result: DisplayBench.Result
    do {
      result = try await Interruption.whileRunning(onInterrupt: { work.cancel() }) { _ in try await work.value }
    } catch {
      terminal.endProgress()
      throw error
    }
    terminal.endProgress()
    let report = BenchReport(result)
    if json {
      terminal.json(report.details)
      terminal.json(report.summary)
    } else {
      show(report, result, on: terminal)
    }
    if let fault = result.fault { throw fault }
    guard result.unmeasured > 0 else { return }
    terminal.error(
      "\(terminal.styled("warning:", .yellow)) \(result.unmeasured) of \(result.lines.count) lines could not be measured; "
        + (json ? "\"problem\" says why" : "what is said of each above tells why"))
  }

  /// Only what is not right: of thousands of lines that is what one looks for.
  private static func show(_ line: DisplayBench.Line, on terminal: Terminal) {
    guard !line.vote.isExact || line.problem != nil else { return }
    terminal.endProgress()
    let read = line.vote.raw ?? "-"
    let state = line.problem ?? (line.vote.isWrongButConfident ? "WRONG AND SURE" : "not answered")
    terminal.out(
      "\(line.photograph.path):\(line.row + 1)  \(line.vote.label ?? "-") read as \(read)  "
        + String(format: "%.2f  ", line.vote.confidence) + state)
  }

  private func show(_ report: BenchReport, _ result: DisplayBench.Result, on terminal: Terminal) {
    func share(_ value: Double) -> String { String(format: "%.3f", value) }
    terminal.table(
      ["SET", "LOOKS", "LINES", "EXACT", "COVERAGE", "RIGHT", "WRONG", "UP TO"],
      report.parts.flatMap { part in
        [("vote", part.vote), ("single", part.single)].map { looks, tally in
          [
            part.name, looks, "\(tally.lines)", share(tally.exactRaw), share(tally.coverage),
            tally.selectiveAccuracy.map(share) ?? "-", share(tally.wrongButConfident),
            share(tally.wrongButConfidentUpper95),
          ]
        }
      })
    terminal.error(
      String(
        format: "%.1f ms a frame, %.0f ms a photograph", result.millisecondsPerFrame, result.millisecondsPerPhotograph))
  }
}
