import ArgumentParser
import Foundation
import GatewayAPI
import GatewayTools

/// `meterhost doctor`: what is missing, and the cure.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Check what a gateway needs and say what to do about what is missing.",
    discussion: """
      Exits 1 if a check failed; warnings do not count. With --repair a damaged state database is first replaced by a new
      one with everything that can be read; the damaged one is kept beside it, and so is a journal that is not its own. A whole one is
      left alone.

      --report also writes one file for whoever helps: versions, findings, drivers, counts, names of recordings. No token, key, reading,
      user, receiver or meter is in it; --log adds lines of a log without their numbers and names. Look at it before you send it.

      EXAMPLES
        meterhost doctor
        meterhost doctor --repair
        meterhost doctor --report support.json
        journalctl --unit meterhost --lines 1000 --output json | meterhost doctor --report support.json --log -
        meterhost doctor --json | jq 'select(.status == "failed")'
      """)

  @Flag(help: "Repair the state database if it is damaged.")
  var repair = false
  @Option(help: ArgumentHelp("Also write a support file without private data.", valueName: "file"))
  var report: String?
  @Option(
    help: ArgumentHelp("With --report: add the lines of this log, redacted; - is standard input.", valueName: "file"))
  var log: String?
  @Flag(help: "With --report: add paired meters with their names and addresses.")
  var withMeters = false
  @OptionGroup var output: OutputOptions
  @OptionGroup var locations: LocationOptions

  func validate() throws {
    guard report != nil || log == nil && !withMeters else {
      throw ValidationError("--log and --with-meters are for --report FILE.")
    }
  }

  func run() async throws {
    let doctor = Doctor(locations: locations.locations)
    let findings = (repair ? [doctor.repair()] : []) + (await doctor.examine())
    let terminal = Terminal()
    for finding in findings {
      guard !output.json else {
        terminal.json(finding)
        continue
      }
      terminal.out("\(mark(finding.status, on: terminal))  \(finding.check): \(finding.message)")
      if let cure = finding.cure { terminal.out("         \(cure)") }
    }
    if let report {
      try await write(report, doctor, findings)
      terminal.error("the support file is \(report)")
    }
    if findings.contains(where: { $0.status == .failed }) { throw ExitCode(1) }
  }

  private func write(_ file: String, _ doctor: Doctor, _ findings: [DoctorFinding]) async throws {
    var options = SupportReport.Options()
    options.hasMeters = withMeters
    if let log { options.log = try lines(of: log) }
    var state: SupportState?
    // Looking makes no folder; one that nobody can look into has its finding already.
    if FileManager.default.fileExists(atPath: locations.places.state) {
      state = try? await locations.perform(SupportStateRequest())
    }
    try doctor.report(findings, state: state, options: options).write(to: file)
  }

  private func lines(of log: String) throws -> [String] {
    do {
      let handle = log == "-" ? FileHandle.standardInput : try FileHandle(forReadingFrom: URL(fileURLWithPath: log))
      let text = String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
      return text.split(whereSeparator: \.isNewline).map(String.init)
    } catch {
      throw GatewayError(.usage, code: "log_file", "the log \(log) cannot be read", cause: error)
    }
  }

  private func mark(_ status: DoctorFinding.Status, on terminal: Terminal) -> String {
    switch status {
    case .passed: terminal.styled("passed ", .green, on: .output)
    case .warning: terminal.styled("warning", .yellow, on: .output)
    case .failed: terminal.styled("FAILED ", .red, on: .output)
    }
  }
}
