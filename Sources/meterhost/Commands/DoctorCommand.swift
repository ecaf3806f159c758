import ArgumentParser
import MeterGateway

/// `meterhost doctor`: what is missing, and the cure.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Check what a gateway needs and say what to do about what is missing.",
    discussion: """
      Exits 1 if a check failed; warnings do not count. With --repair a damaged state database is first replaced by a new
      one with everything that can be read; the damaged one is kept beside it. A whole one is left alone.

      EXAMPLES
        meterhost doctor
        meterhost doctor --repair
        meterhost doctor --json | jq 'select(.status == "failed")'
      """)

  @Flag(help: "Repair the state database if it is damaged.")
  var repair = false
  @OptionGroup var output: OutputOptions
  @OptionGroup var locations: LocationOptions

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
    if findings.contains(where: { $0.status == .failed }) { throw ExitCode(1) }
  }

  private func mark(_ status: DoctorFinding.Status, on terminal: Terminal) -> String {
    switch status {
    case .passed: terminal.styled("passed ", .green, on: .output)
    case .warning: terminal.styled("warning", .yellow, on: .output)
    case .failed: terminal.styled("FAILED ", .red, on: .output)
    }
  }
}
