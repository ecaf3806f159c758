import DriverContract
import MeterCore
import MeterDrivers

// What the end of a session means for the operation.

extension ReadOperation {
  func conclude(_ report: SessionReport, _ summary: ReadSummary) throws(BluetoothError) -> ReadEvent {
    do { return try conclusion(report, summary) } catch { throw error.recorded(as: report.recording) }
  }

  /// A link that broke while the meter was paired broke because of that: many a meter refuses by hanging up.
  private func checkPairing(of report: SessionReport) throws(BluetoothError) {
    guard let refusal = report.link.refusal, refusal.pairingFailure != nil || refusal.code == .cancelled else { return }
    throw refusal
  }

  private func conclusion(_ report: SessionReport, _ summary: ReadSummary) throws(BluetoothError) -> ReadEvent {
    if case .meterDisconnected = report.outcome { try checkPairing(of: report) }
    if case .failed(.communication, _, _) = report.outcome { try checkPairing(of: report) }
    switch report.outcome {
    case .finished: return .completed(summary)
    case .cancelled:
      guard purpose != .pair else { throw Self.givenUp }
      return .cancelled(summary)
    case .meterDisconnected:
      if let error = report.link.error { throw BluetoothError(link: error) }
      if let refusal = report.link.refusal { throw refusal }
      throw BluetoothError(
        .communicationFailure, "the meter closed the link before it had sent everything; read it again")
    case .failed(.pairing, _, _) where report.link.pairingError != nil:
      throw report.link.pairingError ?? Self.givenUp
    case .failed(let code, let subcode, let text):
      // The driver knows only that the link went, or that the meter refused something; the host knows why.
      if code == .communication, let error = report.link.error { throw BluetoothError(link: error) }
      if let refusal = report.link.refusal, code == .communication || code == .notPaired || code == .pairing {
        throw refusal
      }
      throw BluetoothError(driver: code, subcode: subcode, text: text)
    case .driverRefused(let status):
      throw BluetoothError(.driverCrashed, "driver \(plan.driver.id) refused to go on (status \(status))")
    case .driverFault(let fault): throw BluetoothError(fault: fault, quarantine: report.quarantine)
    case .commitFailed:
      if let fault = report.commitError as? DriverFault { throw BluetoothError(fault: fault) }
      let reason = report.commitError.map { "\($0)" } ?? "unknown reason"
      throw BluetoothError(
        .storeFailure, "the readings could not be put on disk (\(reason)); the meter keeps them",
        cause: report.commitError)
    case .readingTimeout:
      throw BluetoothError(
        .readingTimeout,
        "nothing came from the meter for \(options.session.silence). \(plan.peripheral.readingInstructions)")
    case .sessionTimeout:
      throw BluetoothError(
        .readingTimeout,
        "the meter had not sent everything after \(options.session.total); what came is kept, read it again")
    case .recordLimit:
      throw BluetoothError(
        .tooManyReadings,
        "the meter has sent more new readings in one read than any meter holds (\(options.session.records), or "
          + "\(options.session.recordBytes >> 20) MiB), or the same ones over and over, and the host has left it. What came is kept; the "
          + "rest is in the meter. Read it again: what is known is passed over, and the next read goes on behind it, whichever end of its "
          + "memory the meter begins with. If it never comes to an end, it is faulty")
    }
  }
}

extension SessionReport {
  /// Whether the meter showed that its database is not what the session took it for.
  var disprovesCache: Bool {
    switch outcome {
    case .finished, .cancelled, .commitFailed, .driverFault, .driverRefused, .recordLimit: false
    default: link.contradictsDatabase
    }
  }

  /// Whether the next read should look for itself: its handles answered and nothing came of it, so that they may mean
  /// something else by now.
  var doubtsCache: Bool {
    switch outcome {
    case .readingTimeout, .failed(.timeout, _, _), .failed(.noReading, _, _): true
    default: link.cacheIsStale || disprovesCache
    }
  }
}
