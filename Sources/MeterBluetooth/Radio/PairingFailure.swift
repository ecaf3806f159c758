/// Why two sides have no key in common; stands as `cause` in the ``BluetoothError`` of a pairing that failed, or of a meter
/// that is not paired any more. The raw value is stable.
public enum PairingFailure: String, Error, Sendable, Hashable, CaseIterable {
  /// The passkey was wrong, or the meter proved not to be the one that the bond is with.
  case authenticationFailed = "authentication_failed"
  /// The meter does not know this gateway any more; the gateway still keeps its half of the bond.
  case bondLost = "bond_lost"
  /// The meter does not pair now: it has to be put into its pairing mode.
  case notInPairingMode = "not_in_pairing_mode"
  /// The meter did not answer in time, or the link broke.
  case noAnswer = "no_answer"
  /// The meter refuses for another reason.
  case refused

  /// From the reason of a Pairing Failed PDU (Core Specification, Vol 3 Part H 3.5.5).
  public init(securityManagerReason reason: UInt8) {
    self =
      switch reason {
      // Passkey Entry Failed, Confirm Value Failed, DHKey Check Failed, Numeric Comparison Failed.
      case 0x01, 0x04, 0x0B, 0x0C: .authenticationFailed
      // Pairing Not Supported.
      case 0x05: .notInPairingMode
      default: .refused
      }
  }

  /// From the HCI error with which encrypting the link, or the link itself, has ended (Core Specification, Vol 1 Part F 2);
  /// nil when the error says nothing of keys.
  public init?(hciError code: UInt8) {
    switch code {
    // Authentication Failure; Connection Terminated due to MIC Failure.
    case 0x05, 0x3D: self = .authenticationFailed
    // PIN or Key Missing.
    case 0x06: self = .bondLost
    // Pairing Not Allowed.
    case 0x18: self = .notInPairingMode
    // LMP or LL Response Timeout.
    case 0x22: self = .noAnswer
    // Insufficient Security; Encryption Mode Not Acceptable; Pairing with Unit Key Not Supported.
    case 0x25, 0x29, 0x2F: self = .refused
    default: return nil
    }
  }

  /// What happened and what to do, for people.
  var words: String {
    switch self {
    case .authenticationFailed: "the meter refuses the passkey; pair again and enter what its display shows"
    case .bondLost: "the meter has forgotten this gateway, as after a reset or a change of batteries; pair it again"
    case .notInPairingMode: "the meter is not in its pairing mode; put it there as its manual says and pair again"
    case .noAnswer: "the meter broke the pairing off or did not answer; keep it close by and try again"
    case .refused: "the meter refused to pair; try again"
    }
  }
}

extension BluetoothError {
  /// A pairing that failed, or a bond that the meter has lost: `pairingFailure` or `notPaired`.
  ///
  /// - Parameter detail: What else is known, for people, such as the reason's number.
  public init(pairing failure: PairingFailure, detail: String = "") {
    self.init(
      failure == .bondLost ? .notPaired : .pairingFailure, failure.words + (detail.isEmpty ? "" : " (\(detail))"),
      cause: failure)
  }

  /// Why two sides have no key in common, where that is what went wrong.
  public var pairingFailure: PairingFailure? { cause as? PairingFailure }
}
