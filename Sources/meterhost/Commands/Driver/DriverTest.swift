import ArgumentParser
import Foundation
import MeterConformance
import MeterCore
import GatewayAPI

extension DriverCommand {
  struct Test: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "test", abstract: "Try a driver against every rule of the contract.",
      discussion: """
        A bundle's folder (a registry fragment, the built library, virtual meters, vectors.json and exports/ lie in it), a library
        alone, or the id of an installed driver. The driver runs in processes of its own; a crash is a result, and the rest goes on. No
        meter, radio or session is touched.

        Each check ends as passed, failed, crashed, warning or skipped. Exits 0 when none failed or crashed, 1 when one did, or
        when there was nothing to try the driver on, 64 when the target is no driver, 69 when the registry, the worker or
        meterhost-driver-probe beside it is not there.

        EXAMPLES
          meterhost driver test ./my-meter
          meterhost driver test ./libmy-meter.so --meter meter.json --vectors vectors.json --rule R13
          meterhost driver test org.meterhost.glucose --junit report.xml
          meterhost driver test org.meterhost.apple-health --export export.zip --rule R18
        """)

    @Argument(help: ArgumentHelp("A bundle's folder, a library, or a driver's id.", valueName: "folder, file or id"))
    var target: String?
    @Flag(help: "List the checks instead of running them.")
    var list = false
    @Option(
      name: .customLong("rule"), help: ArgumentHelp("Only this rule, such as R7; may be repeated.", valueName: "rule"))
    var rules: [String] = []
    @Option(
      name: .customLong("meter"),
      help: ArgumentHelp("The script of a virtual meter; may be repeated.", valueName: "file"))
    var meters: [String] = []
    @Option(help: ArgumentHelp("Values and what they decode to.", valueName: "file"))
    var vectors: String?
    @Option(
      name: .customLong("export"),
      help: ArgumentHelp("A small export that the driver reads; may be repeated.", valueName: "file"))
    var exports: [String] = []
    @Option(
      name: .customLong("key"),
      help: ArgumentHelp(
        "A key or licence that a meter needs, by its name in the registry; may be repeated.", valueName: "name=file"))
    var keys: [String] = []
    @Option(help: ArgumentHelp("Where random bytes begin; the same number gives the same run.", valueName: "number"))
    var seed: UInt64 = ConformanceSuite.usualSeed
    @Flag(help: "Break links at every PDU and spoil more bytes: minutes instead of seconds.")
    var thorough = false
    @Option(help: ArgumentHelp("Write a report that CI systems read (JUnit XML).", valueName: "file"))
    var junit: String?
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func validate() throws {
      guard target != nil || list else { throw ValidationError("name a bundle's folder, a library, or a driver's id") }
      if let wrong = rules.first(where: { Rule($0) == nil }) {
        throw ValidationError("\(wrong) is no rule; the rules are R1 to R27")
      }
    }

    func run() async throws {
      let wanted = Set(rules.compactMap { Rule($0) })
      guard let target, !list else { return show(wanted) }
      // What drivers log while they are ill-treated is nobody's warning.
      if !LogEnvironment.isSet { LogSwitch.shared.settings = try LogEnvironment.settings("off") }
      let places = locations.places
      let suite = ConformanceSuite(
        ConformanceTarget(
          target, registry: places.registry, fragments: places.fragments, trust: places.trust, worker: places.worker,
          meters: meters, shippedMeters: LocalPlaces.shippedMeters, vectors: vectors, keys: try keyContents(),
          exports: exports),
        rules: wanted, seed: seed, isThorough: thorough)
      let terminal = Terminal()
      let isJSON = output.json
      let report = try await suite.run { result in
        if isJSON { terminal.json(result) } else { terminal.progress("\(result.rule) \(result.check)") }
      }
      terminal.endProgress()
      if let junit { try write(JUnitReport(report).xml, to: junit) }
      if !isJSON { ConformanceText(report, terminal).show() }
      if let words = report.nothingTried, report.brokenRules.isEmpty {
        throw GatewayError(.failed, code: "nothing_tried", words)
      }
      if !report.passed { throw ExitCode(1) }
    }

    private func show(_ rules: Set<Rule>) {
      let terminal = Terminal()
      let checks = CheckDescription.all.filter { rules.isEmpty || rules.contains($0.rule) }
      guard !output.json else { return checks.forEach { terminal.json($0) } }
      terminal.table(["RULE", "CHECK", "WHAT IS RIGHT"], checks.map { ["\($0.rule)", $0.name, $0.title] })
    }

    private func keyContents() throws(GatewayError) -> [String: [UInt8]] {
      var contents: [String: [UInt8]] = [:]
      for key in keys {
        let parts = key.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else {
          throw GatewayError(.usage, code: "key", "\(key) does not say which key it is", hint: "write --key NAME=FILE")
        }
        do { contents[parts[0]] = [UInt8](try Data(contentsOf: URL(fileURLWithPath: parts[1]))) } catch {
          throw GatewayError(
            .usage, code: "key", "\(parts[1]) cannot be read: \(error.localizedDescription)", cause: error)
        }
      }
      return contents
    }

    private func write(_ xml: String, to path: String) throws(GatewayError) {
      do { try Data(xml.utf8).write(to: URL(fileURLWithPath: path)) } catch {
        throw GatewayError(
          .failed, code: "junit", "the report \(path) cannot be written: \(error.localizedDescription)", cause: error)
      }
    }
  }
}

/// A report for a person.
private struct ConformanceText {
  private let report: ConformanceReport
  private let terminal: Terminal

  /// Lines of a reproduction that are shown; `--json` has all.
  private static let mostEvents = 12

  init(_ report: ConformanceReport, _ terminal: Terminal) {
    self.report = report
    self.terminal = terminal
  }

  func show() {
    for result in report.results { show(result) }
    let counts = CheckStatus.allCases.compactMap { status in
      report.count(status) == 0 ? nil : "\(report.count(status)) \(status.rawValue)"
    }
    terminal.out(counts.joined(separator: ", "))
    if !report.brokenRules.isEmpty {
      terminal.out("broken: " + report.brokenRules.map { "rule \($0)" }.joined(separator: ", "))
    }
  }

  private func show(_ result: CheckResult) {
    let style: Terminal.Style =
      switch result.status {
      case .passed: .green
      case .failed, .crashed: .red
      case .warning: .yellow
      case .skipped: .dim
      }
    let word = result.status.isBad ? result.status.rawValue.uppercased() : result.status.rawValue
    let name = "\(result.rule) \(result.check)"
    terminal.out(
      terminal.styled(padded(word, 8), style, on: .output) + padded(name, 28) + (result.reason ?? result.title))
    guard result.status != .passed, result.status != .skipped else { return }
    if let place = result.place { terminal.out("          where: \(place)") }
    if let found = result.found { terminal.out("          found: \(found)") }
    if let mend = result.mend { terminal.out("          mend:  \(mend)") }
    guard let again = result.reproduction else { return }
    terminal.out("          again: \(again.command)")
    if again.events.count > Self.mostEvents {
      terminal.out("            ... \(again.events.count - Self.mostEvents) before; --json has them")
    }
    for line in again.events.suffix(Self.mostEvents) { terminal.out("            \(line)") }
  }

  private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }
}
