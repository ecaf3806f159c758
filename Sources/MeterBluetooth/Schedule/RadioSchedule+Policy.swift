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
    /// How many of them may be unknown ones: known ones are never forgotten for those.
    public var maximumStrangers: Int = 3072
    /// The part of the time that unknown meters may take the radio in the long run, each attempt counted as a second at least.
    public var strangersShare: Double = 0.5
    /// How much of their time unknown meters may have taken ahead: a few that come together are read without a wait.
    public var strangersCredit: Duration = .seconds(60)
    /// Most that one attempt with an unknown meter is counted as: a new meter that sends much is no reason to keep others waiting.
    public var strangersCharge: Duration = .seconds(30)
    /// How long an attempt to connect to an unknown meter may take: most that advertise take a link within a second.
    public var strangersConnectionPatience: Duration = .seconds(4)
    /// How long an adapter that is deaf while it connects listens at least between two attempts with unknown meters.
    public var strangersPause: Duration = .seconds(2)
    /// How long an unknown meter keeps the last slot when a known one waits for it.
    public var strangersTurn: Duration = .seconds(10)
    /// How long an unknown meter that is being read goes on when a person asks: most are through by then.
    public var strangersGrace: Duration = .seconds(3)
    /// After so long an unknown meter that waits goes before known ones, but no more often than ``strangersOverdueInterval``:
    /// nobody is passed over for ever.
    public var strangersPatience: Duration = .seconds(600)
    /// How far apart the turns are at least that unknown meters get before known ones.
    public var strangersOverdueInterval: Duration = .seconds(60)
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
