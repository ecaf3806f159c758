import BluetoothWire
import DriverContract
import MeterDrivers

extension BluetoothError {
  /// A link that broke, or a meter that does not speak as it should.
  init(link error: GATTError) {
    let (code, text): (Code, String) =
      switch error.code {
      case .transactionTimeout: (.readingTimeout, "\(error.message); keep it switched on and close by")
      case .attribute(let code) where code.asksForSecurity || code == .insufficientAuthorization:
        (.notPaired, "the meter wants to be paired first: \(error.message)")
      case .databaseChanged: (.communicationFailure, "\(error.message); read it again")
      case .missing: (.communicationFailure, "\(error.message); check that the right meter was chosen")
      default: (.communicationFailure, "the connection to the meter failed: \(error.message)")
      }
    self.init(code, text, cause: error)
  }

  /// A driver that did what it must not, or that could not start, and what has come of it.
  init(fault: DriverFault, quarantine: QuarantinePolicy.Verdict = .free) {
    let code: Code =
      switch fault.code {
      case .loadFailed, .unknownDriver, .refused, .workerFailed: .driverUnavailable
      case .cancelled: .cancelled
      case .brokeRule, .crashed, .killed, .hung, .brokeProtocol, .closed: .driverCrashed
      }
    self.init(code, "\(fault)" + (quarantine.words.map { ". \($0)" } ?? ""), cause: fault)
  }

  /// A driver that gave up, with a code of the contract's list (`MH_FAIL_*`).
  init(driver code: DriverFailureCode, subcode: UInt64, text: String) {
    let kind: Code =
      switch code {
      case .communication, .unsupportedMeter: .communicationFailure
      case .noReading: .noReading
      case .timeout: .readingTimeout
      case .keyMissing: .keyMissing
      case .keyWrong: .keyWrong
      case .meterError: .meterError
      case .pairing: .pairingFailure
      case .licence: .licenceMissing
      case .notPaired: .notPaired
      case .refused: .cancelled
      case .owner: .ownerUnknown
      }
    self.init(kind, subcode == 0 ? text : "\(text) (\(subcode))")
  }
}
