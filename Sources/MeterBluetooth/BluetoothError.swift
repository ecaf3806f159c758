public import HostErrors

/// Why an operation with a meter failed.
public struct BluetoothError: HostError {
  /// The kinds of failure; the raw value is stable and stands in `--json` output.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The link worked, and what came over it did not.
    case communicationFailure = "communication_failure"
    /// No link to the meter could be made.
    case connectionFailure = "connection_failure"
    /// Pairing failed.
    case pairingFailure = "pairing_failure"
    /// There is no radio, or it is off.
    case bluetoothOff = "bluetooth_off"
    /// The meter had no reading to give.
    case noReading = "no_reading"
    /// This process may not use the radio.
    case noPermission = "no_permission"
    /// The adapter was unplugged.
    case adapterGone = "adapter_gone"
    /// The operation needs a session user.
    case noUser = "no_user"
    /// No meter that fits was heard in time.
    case connectionTimeout = "connection_timeout"
    /// The meter was silent for too long.
    case readingTimeout = "reading_timeout"
    /// The driver crashed, hung or broke the contract.
    case driverCrashed = "driver_crashed"
    /// The driver is set aside after repeated faults.
    case driverQuarantined = "driver_quarantined"
    /// The driver's bundle was refused before it could run.
    case driverUnavailable = "driver_unavailable"
    /// A licence that the driver needs is not stored, or the driver does not take the one that is.
    case licenceMissing = "licence_missing"
    /// The meter must be paired first.
    case notPaired = "not_paired"
    /// The caller gave up.
    case cancelled
    /// Another interactive operation is running.
    case busy
    /// A key that the meter needs is missing.
    case keyMissing = "key_missing"
    /// The meter refuses the key.
    case keyWrong = "key_wrong"
    /// The meter or its driver asks a person something, and nobody could be asked.
    case answerNeeded = "answer_needed"
    /// The meter's maker must approve first.
    case approvalNeeded = "approval_needed"
    /// The catalogue has no such peripheral, or it is disabled.
    case unknownPeripheral = "unknown_peripheral"
    /// The readings could not be put on disk.
    case storeFailure = "store_failure"
    /// Which of the meter's users a reading is for is not known.
    case ownerUnknown = "owner_unknown"
    /// The meter reports a fault of its own.
    case meterError = "meter_error"
    /// The meter has sent more than any meter holds, or more of it waits than leaves room for others.
    case tooManyReadings = "too_many_readings"
  }

  /// What went wrong, for programs.
  public let code: Code
  /// What happened and what to do, for people.
  public let message: String
  /// What lies beneath.
  public let cause: (any Error)?
  /// The name of the session's recording; nil when none was written.
  public let recording: String?

  /// An error of a Bluetooth operation.
  public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.init(code, message, cause: cause, recording: nil)
  }

  private init(_ code: Code, _ message: String, cause: (any Error)?, recording: String?) {
    (self.code, self.message, self.cause, self.recording) = (code, message, cause, recording)
  }

  /// The error with another code and message.
  func retold(_ code: Code, _ message: String) -> BluetoothError {
    BluetoothError(code, message, cause: cause, recording: recording)
  }

  /// The error with the recording that shows how it came about.
  func recorded(as name: String?) -> BluetoothError {
    guard let name, recording == nil else { return self }
    return BluetoothError(
      code, "\(message); recording \(name): `meterhost driver replay \(name)` decides between driver and machine",
      cause: cause, recording: name)
  }
}

extension BluetoothError {
  /// Decides the exit status.
  public var kind: HostErrorKind {
    switch code {
    case .unknownPeripheral: .usage
    case .bluetoothOff, .noPermission, .adapterGone, .driverUnavailable, .licenceMissing, .keyMissing, .approvalNeeded,
      .answerNeeded:
      .unavailable
    case .busy, .connectionTimeout, .readingTimeout, .noReading, .tooManyReadings: .temporary
    case .cancelled: .cancelled
    default: .failed
    }
  }
}
