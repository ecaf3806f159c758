import DriverContract

/// Who is to blame for a recorded fault (rule R24).
package enum ReplayVerdict: String, Sendable, Hashable, CaseIterable {
  /// The fault comes again: the driver's.
  case driver
  /// The same bundle gets through now: the machine's, or chance.
  case machine
  /// The recording does not reach the fault, the bundle is another one, or the driver did something else before.
  case undecided
  /// No fault was recorded.
  case none
}

/// What a replay has come to.
package struct ReplayReport: Sendable, Hashable {
  /// What happened.
  package enum Outcome: String, Sendable, Hashable, CaseIterable {
    /// Every unit has the same bytes.
    case identical
    /// Something is unlike; ``ReplayReport/words`` say what.
    case differs
    /// The driver faulted where it had faulted, or elsewhere.
    case faultAgain = "fault_again"
    /// The driver got past the event at which it had faulted.
    case faultGone = "fault_gone"
    /// Everything that is in the recording has the same bytes, and the recorded fault came after its end.
    case identicalSoFar = "identical_so_far"
    /// An imported capture was run: there is nothing to compare with.
    case ran
  }

  /// What happened.
  package var outcome: Outcome
  /// Number of the event where it happened, counted from 1; 0 is the opening.
  package var event: Int?
  /// What is unlike, or what the fault says.
  package var words: [String]
  /// The fault of the replay.
  package var fault: DriverFault?
  /// The fault that was recorded.
  package var recordedFault: DriverFault?
  /// Whether the recorded bundle ran.
  package var isSameBundle: Bool
  /// How many events the driver was handed.
  package var events: Int
  /// The records that came out, in order.
  package var records: [DriverRecord]

  /// Decides between driver and machine.
  package var verdict: ReplayVerdict {
    guard recordedFault != nil else { return .none }
    return switch outcome {
    case .faultAgain where isSameBundle: .driver
    case .faultGone where isSameBundle: .machine
    default: .undecided
    }
  }
}
