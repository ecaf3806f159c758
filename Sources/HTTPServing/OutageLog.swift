package import HostPrimitives
import Synchronization

/// Sums up failures of one kind: a line when they begin, one each minute while they go on, one when they are over.
package final class OutageLog: Sendable {
  /// What there is to say about a failure.
  package enum Told: Sendable, Equatable {
    case began
    /// As many times since it began.
    case goesOn(times: Int, for: Duration)
  }

  /// One that is over.
  package struct Ended: Sendable, Equatable {
    package let kind: String
    package let times: Int
    /// From the first failure to the last.
    package let lasted: Duration
  }

  private struct Outage {
    let begun: HostInstant
    var last: HostInstant
    var told: HostInstant
    var times = 1
  }

  /// As long has nothing failed when it is over: what fails by turns is one outage.
  private static let calm = Duration.seconds(10)

  private let clock: any HostClock
  private let outages = Mutex<[String: Outage]>([:])

  package init(clock: any HostClock = .system) { self.clock = clock }

  /// - Parameter kind: One of a few.
  /// - Returns: nil when nothing is to be said.
  package func failed(_ kind: String) -> Told? {
    let now = clock.now
    return outages.withLock { outages in
      guard var outage = outages[kind] else {
        outages[kind] = Outage(begun: now, last: now, told: now)
        return .began
      }
      defer { outages[kind] = outage }
      outage.times += 1
      outage.last = now
      guard now - outage.told >= .seconds(60) else { return nil }
      outage.told = now
      return .goesOn(times: outage.times, for: now - outage.begun)
    }
  }

  /// Something has worked.
  ///
  /// - Returns: What is over by that.
  package func worked() -> [Ended] {
    outages.withLock { outages in
      guard !outages.isEmpty else { return [] }
      let now = clock.now
      let over = outages.filter { now - $0.value.last >= Self.calm }
      for kind in over.keys { outages[kind] = nil }
      return over.map { Ended(kind: $0.key, times: $0.value.times, lasted: $0.value.last - $0.value.begun) }
    }
  }
}
