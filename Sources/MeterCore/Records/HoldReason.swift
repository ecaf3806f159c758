/// Why a record waits for a person (R27).
public enum HoldReason: String, Sendable, Hashable, Codable {
  /// There is no session: nothing of the default user is ever uploaded.
  case noSession = "no_session"
  /// A value is outside its metric's plausible range.
  case implausibleValue = "implausible_value"
  /// The meter says above or below what it can show, and nobody knows where that ends; or a glucose that most meters only show as
  /// such.
  case beyondRange = "beyond_range"
  /// A scale weighed something else than what its owner is known to weigh.
  case unlikeWeight = "unlike_weight"
  /// The meter itself doubts the value.
  case questionableValue = "questionable_value"
  /// The reading lies in the future.
  case clockInFuture = "clock_in_future"
  /// The meter's clock was unset or jumped.
  case clockSuspect = "clock_suspect"
  /// The host's clock is not synchronised and the meter gave no time.
  case hostClockUnsynchronized = "host_clock_unsynchronized"
  /// The reading belongs to another or unknown user of the meter.
  case unknownOwner = "unknown_owner"
  /// The same identity came with other values: a reset meter or a faulty one.
  case identityCollision = "identity_collision"
  /// The meter took the record back.
  case takenBack = "taken_back"
  /// The driver asks for a person's decision.
  case driverAsks = "driver_asks"
  /// The caller of the read wants a person's word first.
  case awaitingConfirmation = "awaiting_confirmation"
  /// The read did not ask for it, and the meter forgets what it has sent: a later read that asks for it delivers it.
  case notAskedFor = "not_asked_for"
  /// Its metric or unit is newer than this host: an update knows it.
  case unknownMetric = "unknown_metric"
  /// No receiver takes it, or it can be sent to none: it has no measured value that is known, one is there twice, or a number
  /// cannot be written out.
  case notDeliverable = "not_deliverable"
}

/// Why a record is never delivered.
public enum ExclusionReason: String, Sendable, Hashable, Codable {
  /// The meter was tested with a control solution: no value of a person.
  case controlSolution = "control_solution"
}
