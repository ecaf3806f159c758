import HostPrimitives
import Synchronization

/// What is told of unknown meters: the first few one by one, so that whoever has a new meter hears why it is not read, and all
/// others as a sum, now and then. However many there are, the log of events and the disk get a bounded number of lines.
final class StrangerNews: Sendable {
  /// What has happened since the last sum.
  struct Sum: Sendable {
    let outcomes: [String: Int]
    let time: Duration
  }

  private struct State {
    /// Until when the lines that were told one by one are paid for.
    var paidUntil: HostInstant?
    var outcomes: [String: Int] = [:]
    var since: HostInstant?
    /// How many sums were told without a pause between them.
    var sums = 0
    var lastSum: HostInstant?
    var waiting: Task<Void, Never>?
  }

  /// How many are told one by one at once, and after how long one more: 96 a day at most.
  static let (burst, interval) = (8, Duration.seconds(900))
  /// After how long a sum is told, the first, the second, and all that follow: 24 a day at most while a crowd stays.
  static let windows: [Duration] = [.seconds(60), .seconds(600), .seconds(3600)]

  private let clock: any HostClock
  private let tell: @Sendable (Sum) -> Void
  private let state = Mutex(State())

  init(clock: any HostClock, tell: @escaping @Sendable (Sum) -> Void) {
    (self.clock, self.tell) = (clock, tell)
  }

  deinit { state.withLock(\.waiting)?.cancel() }

  /// Whether one more may be told by itself; it counts as told then.
  func mayTell() -> Bool {
    let now = clock.now
    return state.withLock { state in
      let paid = max(state.paidUntil ?? now, now)
      guard paid - now <= Self.interval * (Self.burst - 1) else { return false }
      state.paidUntil = paid + Self.interval
      return true
    }
  }

  /// One that is not told by itself.
  func count(_ outcome: String) {
    let now = clock.now
    state.withLock { state in
      state.outcomes[outcome, default: 0] += 1
      guard state.waiting == nil else { return }
      // A crowd that has gone and come back is told of soon.
      if let last = state.lastSum, let longest = Self.windows.last, now - last > longest { state.sums = 0 }
      let window = Self.windows[min(state.sums, Self.windows.count - 1)]
      state.since = now
      state.waiting = Task { [weak self, clock] in
        guard await clock.elapsed(until: now + window), let self else { return }
        self.sumUp()
      }
    }
  }

  private func sumUp() {
    let now = clock.now
    let sum = state.withLock { state -> Sum in
      defer {
        (state.outcomes, state.since, state.waiting) = ([:], nil, nil)
        state.sums += 1
        state.lastSum = now
      }
      return Sum(outcomes: state.outcomes, time: now - (state.since ?? now))
    }
    tell(sum)
  }
}
