public import MeterCore

/// What one read has brought.
public struct ReadSummary: Sendable {
  /// New readings, in the order in which they were committed.
  public var records: [CommitRecord] = []
  /// Readings whose content has changed since an earlier read.
  public var revised: [CommitRecord] = []
  /// Readings that the meter had sent before; nothing is delivered for them.
  public var duplicates = 0
  /// Good readings that this read was not to take, by reason. They are in the meter for a later read.
  public var left: [LeaveReason: Int] = [:]
  /// What the meter sent and the host refused, with the reason.
  public var rejected: [String] = []
  /// ATT PDUs to and from the meter.
  public var pdus = 0
  /// Time from the advertisement that the host connected on to the last commit.
  public var advertisementToCommit: Duration?
  /// Whether the meter's database was known from an earlier read.
  public var usedCache = false
  /// Whether nobody can say since when the meter is the user's, because this machine's clock is not synchronised: readings with
  /// a time of their own stay in it, or are held where somebody else has had it.
  public var isSinceUnknown = false
  /// Names of the recordings that were written: of sessions that a fault of the driver ended, and of all when asked for.
  public var recordings: [String] = []

  /// Nothing yet.
  public init() {}
}
