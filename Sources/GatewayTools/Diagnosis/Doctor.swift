package import GatewayEngine
package import GatewayAPI
import MeterBluetooth
import MeterCore
import CurlHTTP

/// Looks at everything that a gateway needs and says what to do about what is missing.
package struct Doctor: Sendable {
  let locations: GatewayLocations

  /// A doctor for a gateway at these locations.
  package init(locations: GatewayLocations) { self.locations = locations }

  /// Looks at everything; one finding a check, in a fixed order.
  package func examine() async -> [DoctorFinding] {
    var findings = await examineDrivers()
    findings += examinePackages()
    findings += [examineState(), examineBackup()] + examineCopies()
    findings += [examineUpload(), examineClock(), await examineBluetooth()]
    findings += examineMachine()
    return findings
  }

  /// Puts a support file together.
  ///
  /// - Parameter state: What the owner of the state folder says of it; nil: nobody can look into it.
  package func report(
    _ findings: [DoctorFinding], state: SupportState?, options: SupportReport.Options
  ) -> SupportReport {
    SupportReport(locations, findings: findings, state: state, options: options)
  }

  private func examineUpload() -> DoctorFinding {
    guard let problem = CurlTransport.unavailability() else {
      return finding("upload", .passed, "libcurl is there")
    }
    return finding("upload", .failed, problem.message)
  }

  private func examineClock() -> DoctorFinding {
    HostClockTrust.kernel.isSynchronized
      ? finding("clock", .passed, "a time source disciplines the clock")
      : finding(
        "clock", .warning,
        "no time source disciplines the clock: readings of meters without a clock are held, and a meter that is read for the first time is nobody's",
        cure: "start systemd-timesyncd or another time source, or vouch for the clock with `read --trust-clock`")
  }

  func finding(
    _ check: String, _ status: DoctorFinding.Status, _ message: String, cure: String? = nil
  ) -> DoctorFinding {
    DoctorFinding(check: check, status: status, message: message, cure: cure)
  }
}
