public import GatewayAPI
import DriverContract
import Logging
import MeterCore
import MeterDrivers
import MeterOCR

/// Whoever keeps drivers away that fail again and again while displays are read (rule R24): the owner of the state folder, or
/// the way to it. It is asked before a driver runs, and told what the driver did wrong.
public struct DisplayJudge: Sendable {
  private let verdict: @Sendable (DisplayVerdictRequest) async throws -> DisplayVerdictRequest.Answer
  private let noting: @Sendable (DisplayFaultRequest) async throws -> Void

  /// A judge.
  ///
  /// - Parameters:
  ///   - verdict: Has this request performed.
  ///   - note: Has this one performed.
  public init(
    verdict: @escaping @Sendable (DisplayVerdictRequest) async throws -> DisplayVerdictRequest.Answer,
    note: @escaping @Sendable (DisplayFaultRequest) async throws -> Void
  ) {
    self.verdict = verdict
    noting = note
  }

  /// - Throws: ``GatewayError`` with code `driver_quarantined`, or that of whoever could not be asked.
  func expectFree(_ drivers: [VerifiedDriver], for peripheral: UInt32) async throws(GatewayError) {
    let answer: DisplayVerdictRequest.Answer
    do {
      answer = try await verdict(DisplayVerdictRequest(bundles: drivers.map(\.bundle.hash), peripheral: peripheral))
    } catch {
      throw GatewayError(describing: error) ?? GatewayError(.failed, code: "failed", "\(error)", cause: error)
    }
    guard let words = answer.words else { return }
    throw GatewayError(.failed, code: "driver_quarantined", words)
  }

  /// Notes a fault if it is the driver's. One that cannot be noted is logged: it costs the memory of this fault.
  ///
  /// - Parameter peripheral: Whose display was looked at; nil: no picture had a part in it.
  func note(_ fault: DriverFault, of driver: VerifiedDriver, with peripheral: UInt32?) async {
    let request = DisplayFaultRequest(
      fault, driver: driver.entry.id, bundle: driver.bundle.hash, peripheral: peripheral)
    guard let request else { return }
    do { try await noting(request) } catch {
      LogArea.ocr.logger.error("what a driver did wrong could not be noted: \(error)")
    }
  }
}

/// A reader whose faults are noted against its bundle and the meter that it looks at.
struct JudgedReader: DisplayRecognizing {
  let reader: DisplayReader
  let driver: VerifiedDriver
  let judge: DisplayJudge

  func recognize(_ frame: DisplayFrame, meter: UInt32) async throws(DriverFault) -> DisplayReading {
    do throws(DriverFault) { return try await reader.recognize(frame, meter: meter) } catch {
      await judge.note(error, of: driver, with: meter)
      throw error
    }
  }

  func interpret(_ texts: [String], meter: UInt32, unit: UInt16?) async throws(DriverFault) -> DisplayVerdict {
    do throws(DriverFault) { return try await reader.interpret(texts, meter: meter, unit: unit) } catch {
      await judge.note(error, of: driver, with: meter)
      throw error
    }
  }
}
