import GatewayAPI
import DriverContract
import MeterDrivers

extension ReplayDescription {
  /// - Parameter entry: The driver in this registry, if it is there.
  init(
    _ report: ReplayReport, recording: String, driver: String, entry: DriverEntry?, bundle: VerifiedBundle,
    withRecords: Bool
  ) {
    self.init(
      recording: recording, driver: driver, bundle: bundle.path, sha256: "\(bundle.hash)",
      sameBundle: report.isSameBundle, outcome: report.outcome.rawValue, verdict: report.verdict.rawValue,
      event: report.event, events: report.events, words: report.words, fault: report.fault.map { Fault($0) },
      recordedFault: report.recordedFault.map { Fault($0) })
    if withRecords || report.outcome == .ran {
      records = report.records.map { DecodeAnswer.Record($0, driver: entry) }
    }
  }
}

extension ReplayDescription.Fault {
  fileprivate init(_ fault: DriverFault) {
    self.init(code: fault.code.rawValue, rule: fault.rule, message: fault.message)
  }
}
