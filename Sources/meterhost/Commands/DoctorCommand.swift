import ArgumentParser
import MeterGateway

/// `meterhost doctor`: what is missing, and the cure.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Check what a gateway needs and say what to do about what is missing.",
    discussion: "Exits 1 if a check failed; warnings do not count.")

  @OptionGroup var output: OutputOptions
  @OptionGroup var locations: LocationOptions

  func run() async throws {
    let findings = await Doctor(locations: locations.locations).examine()
    let terminal = Terminal()
    for finding in findings {
      guard !output.json else {
        terminal.out(Terminal.json(finding))
        continue
      }
      terminal.out("\(mark(finding.status))  \(finding.check): \(finding.message)")
      if let cure = finding.cure { terminal.out("         \(cure)") }
    }
    if findings.contains(where: { $0.status == .failed }) { throw ExitCode(1) }
  }

  private func mark(_ status: DoctorFinding.Status) -> String {
    switch status {
    case .passed: "passed "
    case .warning: "warning"
    case .failed: "FAILED "
    }
  }
}
