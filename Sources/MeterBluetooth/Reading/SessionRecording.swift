import DriverContract
import Logging
import MeterCore
import MeterDrivers

/// The recording of one session: kept in memory, written when a fault of the driver ended the session, or when it was asked
/// for.
final class SessionRecording: Sendable {
  let recorder = SessionRecorder()
  private let plan: ReadPlan
  private let opening: DriverOpening
  private let generation: SessionGeneration
  private let options: ReadOptions
  private let writer: RecordingWriter
  private let ledger: ReadLedger

  private static let log = LogArea.drivers.logger

  init(
    plan: ReadPlan, opening: DriverOpening, generation: SessionGeneration, options: ReadOptions, store: MeterStore,
    ledger: ReadLedger
  ) {
    self.plan = plan
    self.opening = opening
    self.generation = generation
    self.options = options
    self.ledger = ledger
    writer = RecordingWriter(store: store)
  }

  /// Ends the recording; `report` says how the session ended, nil when it could not be opened.
  ///
  /// - Returns: The recording's name, when one was written.
  func finish(_ report: SessionReport? = nil) -> String? {
    if let fault = report.flatMap(refusedOutput) { recorder.refuseOutput(fault) }
    let fault = recorder.fault
    guard fault != nil || options.records || writer.settings.all else { return nil }
    do {
      let name = try writer.write(
        recorder, bundle: plan.bundle, driver: plan.driver, opening: opening, generation: generation,
        knowsDate: options.clockTrust.isSynchronized)
      ledger.add(recording: name)
      if let fault {
        Self.log.error("\(fault); recording \(name)", metadata: ["driver": "\(plan.driver.id)"])
      }
      return name
    } catch {
      // The read's own error matters more.
      Self.log.warning("the session's recording was not written: \(error)", metadata: ["driver": "\(plan.driver.id)"])
      return nil
    }
  }

  /// A fault that showed after the driver had returned. What it did wrong when it was closed the recorder has heard, and a
  /// driver that refuses to go on has done nothing wrong.
  private func refusedOutput(_ report: SessionReport) -> DriverFault? {
    switch report.outcome {
    case .driverFault(let fault): fault.isDrivers ? fault : nil
    case .commitFailed: report.commitError as? DriverFault
    default: nil
    }
  }
}
