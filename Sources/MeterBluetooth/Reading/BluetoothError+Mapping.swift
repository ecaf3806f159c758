import DriverRuntime

extension BluetoothError {
  /// A link that broke, or a meter that does not speak as it should.
  init(link error: GATTError) {
    self.init(.communicationFailure, "the connection to the meter failed: \(error.message)", cause: error)
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
      }
    self.init(kind, subcode == 0 ? text : "\(text) (\(subcode))")
  }
}
