import DriverContract
import Logging
import MeterCore
import MeterDrivers

extension ReadSurroundings {
  private static let log = LogArea.drivers.logger

  /// Whether a driver may be used, with this meter if it is known already (rule R24).
  ///
  /// - Throws: ``BluetoothError``: `driverQuarantined`, `storeFailure`.
  func checkQuarantine(_ plan: ReadPlan, meter: MeterIdentity?) throws(BluetoothError) {
    let verdict: QuarantinePolicy.Verdict
    do { verdict = try quarantine.verdict(on: plan.bundle, meter: meter) } catch {
      throw BluetoothError(.storeFailure, "the state folder cannot be read: \(error.message)", cause: error)
    }
    guard let words = verdict.words else { return }
    throw BluetoothError(.driverQuarantined, words)
  }

  /// What a fault at opening has come to. Whether the bundle or the meter is to blame is tried out without the meter.
  func judge(
    _ fault: DriverFault, of plan: ReadPlan, opening: DriverOpening, with meter: MeterIdentity,
    recordedAs recording: String?
  ) async -> QuarantinePolicy.Verdict {
    guard QuarantinePolicy().isOffence(fault) else { return .free }
    let failsAlone = await drivers.failsAlone(
      plan.bundle, driver: plan.driver.id, opening: opening, limits: plan.driver.limits)
    return noting { () throws(StoreError) in
      try quarantine.noteOpening(
        fault, bundle: plan.bundle, meter: meter, failsAlone: failsAlone, recording: recording)
    }
  }

  /// What the end of a session has come to.
  func judge(
    _ report: SessionReport, of plan: ReadPlan, with meter: MeterIdentity, brought summary: ReadSummary
  ) -> QuarantinePolicy.Verdict {
    var fault = report.closingFault
    switch report.outcome {
    case .driverFault(let own): fault = own
    // What is wrong with a record shows when it is to be stored.
    case .commitFailed: fault = report.commitError as? DriverFault ?? fault
    default: break
    }
    if let closing = report.closingFault { Self.log.warning("the driver was to be closed: \(closing)") }
    return noting { () throws(StoreError) in
      if let fault { return try quarantine.note(fault, bundle: plan.bundle, meter: meter, recording: report.recording) }
      if !summary.records.isEmpty || !summary.revised.isEmpty || summary.duplicates > 0 {
        try quarantine.noteReadings(of: meter)
      }
      // A meter that hangs up, or a caller who gives up, is no word for the driver: what was counted stays.
      if case .finished = report.outcome { try quarantine.noteSuccess(bundle: plan.bundle, meter: meter) }
      return .free
    }
  }

  /// A store that fails has told so elsewhere; here it costs the memory of a fault.
  private func noting(_ body: () throws(StoreError) -> QuarantinePolicy.Verdict) -> QuarantinePolicy.Verdict {
    do { return try body() } catch {
      Self.log.error("what a driver did wrong could not be noted: \(error.message)")
      return .free
    }
  }
}
