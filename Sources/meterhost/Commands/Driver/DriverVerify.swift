import GatewayAPI
import ArgumentParser
import MeterDrivers
import GatewayTools

extension DriverCommand {
  struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "verify", abstract: "Check a bundle as loading it would, or a package as installing it would.",
      discussion: """
        Nothing is loaded. What a bundle asks libc for is judged as `driver test` judges it, more strictly than loading does. Of a package every library is checked, for whichever machine it is, who has signed it, and the registry that
        installing it here would make.

        EXAMPLES
          meterhost driver verify org.meterhost.glucose
          meterhost driver verify ./libmy-meter.so
          meterhost driver verify org.example.scale-1.0.0.mhdriver
        """)

    @Argument(help: ArgumentHelp("A driver's id, a library, or a package.", valueName: "id or file"))
    var target: String
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() throws {
      if PackageContent.isPackage(path: target) { return try verifyPackage() }
      let report = try locations.catalogue().verify(target)
      let terminal = Terminal()
      if output.json {
        terminal.json(report)
      } else if report.passed {
        terminal.out("\(report.file): \(terminal.styled("passed", .green, on: .output)), sha256 \(report.sha256 ?? "")")
      } else {
        terminal.error("\(terminal.styled("refused:", .red)) \(report.message ?? "")")
      }
      if !report.passed { throw ExitCode(1) }
    }

    private func verifyPackage() throws {
      let report = GatewayPackages(locations: locations.locations).verify(target)
      let terminal = Terminal()
      if output.json {
        terminal.json(report)
      } else if let package = report.package, report.passed {
        terminal.out(
          "\(report.file): \(terminal.styled("passed", .green, on: .output)), \(package.id) \(package.version) for "
            + "\(package.platforms.joined(separator: ", ")), published by \(report.publisher ?? "")")
      } else {
        terminal.error("\(terminal.styled("refused:", .red)) \(report.message ?? "")")
      }
      if !report.passed { throw ExitCode(1) }
    }
  }
}
