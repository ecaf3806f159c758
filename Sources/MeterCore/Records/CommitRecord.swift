/// What is to happen with a record.
public enum Disposition: Sendable, Hashable {
  /// Deliver it.
  case pending
  /// Keep it until a person decides.
  case held(HoldReason)
  /// Hand it to the caller, never deliver it.
  case excluded(ExclusionReason)
}

/// A record and what is to happen with it.
public struct CommitRecord: Sendable, Hashable {
  /// What is stored, under the name that it has from now on.
  public let record: Record
  /// What is to happen with it.
  public let disposition: Disposition
  /// Whether its time is not known yet: the meter gave none, and the host did not know the date.
  package let isUntimed: Bool
  /// When it came, by the clock of this boot; nil: just now.
  package let arrival: BootClock?

  /// A record for a commit.
  package init(record: Record, disposition: Disposition, isUntimed: Bool = false, arrival: BootClock? = nil) {
    self.record = record
    self.disposition = disposition
    self.isUntimed = isUntimed || disposition == .held(.hostClockUnsynchronized)
    self.arrival = arrival
  }
}
