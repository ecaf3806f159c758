import MeterCore

extension RadioSchedule {
  /// The times and bounds of a schedule.
  public struct Policy: Sendable, Hashable {
    /// A meter that was not heard for so long, while its adapter listened, is not there any more: three times the
    /// longest usual interval between advertisements.
    public var window: Duration = .seconds(3)
    /// The same, whether anybody listened or not.
    public var longestWindow: Duration = .seconds(15)
    /// How long a meter that was read must not be heard before it is read again, if its demand does not say.
    public var holdOff: Duration = .seconds(5)
    /// Most that a demand can say.
    public var longestHoldOff: Duration = .seconds(15)
    /// A meter that was read and not heard for so long is read again even if nobody could have heard it: meters
    /// advertise for seconds, and what is read twice is known.
    public var longestDoubt: Duration = .seconds(60)
    /// When a meter that was read over a link and never stops advertising is read again at the earliest; nil waits until it stops.
    /// One that only advertises is heard all the time.
    public var rereadsSteadyMeters: Duration? = .seconds(MeterSettings.defaultReadAgainSeconds)
    /// The wait after the first failure of a meter: most meters are still there then.
    public var firstRetry: Duration = .seconds(1)
    /// By what the wait grows with each further failure.
    public var retryFactor: Double = 3
    /// The longest wait after a failure.
    public var longestRetry: Duration = .seconds(600)
    /// The part of a wait by which it may be shorter or longer, so that meters that failed together do not return
    /// together.
    public var retryJitter: Double = 0.2
    /// After so long without a failure the count begins anew.
    public var failureMemory: Duration = .seconds(1800)
    /// How long a meter without bond or key is left alone if no person does anything.
    public var personWait: Duration = .seconds(6 * 3600)
    /// How far back the last turn of a meter matters: who was served later than that gives way to who was not.
    public var turnMemory: Duration = .seconds(600)
    /// How long passive work may keep a slot that another meter waits for.
    public var longestTurn: Duration = .seconds(120)
    /// How long an attempt to connect may take.
    public var connectionPatience: Duration = .seconds(8)
    /// Attempts to connect for one interactive demand.
    public var interactiveAttempts: Int = 3
    /// How long a demand goes on, if it was past its deadline, after its work ended through no fault of the meter.
    public var secondChance: Duration = .seconds(10)
    /// Meters on one adapter that are read from their advertisements at the same time.
    public var advertisementSessions: Int = 16
    /// Meters that are remembered.
    public var maximumMeters: Int = 4096
    /// After so long a meter that was not heard is forgotten.
    public var meterMemory: Duration = .seconds(7 * 86_400)

    /// The defaults.
    public init() {}

    /// The wait after the `failures`th failure in a row. The jitter is the same for the same meter and count.
    func retryDelay(after failures: Int, seed: UInt64) -> Duration {
      var delay = firstRetry
      for _ in 1..<max(failures, 1) where delay < longestRetry { delay = delay * retryFactor }
      var word = (seed ^ UInt64(truncatingIfNeeded: failures) << 48) &* 0x9E37_79B9_7F4A_7C15
      word = (word ^ word >> 29) &* 0xBF58_476D_1CE4_E5B9
      let fraction = Double(word >> 11) / Double(1 << 53 as UInt64)
      return min(delay, longestRetry) * (1 + retryJitter * (2 * fraction - 1))
    }
  }
}
