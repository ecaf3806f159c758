/// Time limits of one session.
public struct SessionLimits: Sendable, Hashable {
  /// Longest time without anything from the meter; of a meter that only advertises, without anything new.
  public var silence: Duration
  /// How long a driver may take to end after a cancellation.
  public var grace: Duration
  /// Longest time for one answer of the meter; the specification's is 30 seconds (Core Vol 3 Part F 3.3.3).
  public var transaction: Duration
  /// Longest time for the whole session: a meter that never stops sending is cut off.
  public var total: Duration
  /// How long a meter that only advertises may be silent before it counts as gone.
  public var holdOff: Duration
  /// Most new records that one session takes, and ten times as many that are known; the rest is for another read.
  public var records = Self.mostRecords
  /// Most bytes that they may need on disk, roughly.
  public var recordBytes = Self.mostRecordBytes

  /// The largest memories of meters hold a few thousand readings, and a meter that measures each second sends as many as this in
  /// five and a half hours.
  public static let mostRecords = 20_000
  /// As many records of the usual size, with room for texts.
  public static let mostRecordBytes = 32 << 20

  /// Limits for a session; the defaults suit a person who stands before the meter.
  public init(
    silence: Duration = .seconds(180), grace: Duration = .seconds(2), transaction: Duration = .seconds(30),
    total: Duration = .seconds(3600), holdOff: Duration = .seconds(5)
  ) {
    self.silence = silence
    self.grace = grace
    self.transaction = transaction
    self.total = total
    self.holdOff = holdOff
  }

  var graceNanoseconds: UInt64 {
    let parts = grace.components
    return UInt64(clamping: parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000)
  }
}
