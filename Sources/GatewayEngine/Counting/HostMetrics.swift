import Dispatch
package import GatewayAPI
package import HostPrimitives
package import MeterBluetooth
package import MeterCore
import Synchronization

/// The metrics of a running host: what it counts, and what it looks up when it is asked.
///
/// What is looked up costs a few queries whose price does not grow with the queue. They are made once for all who ask at the same time, on a
/// thread of their own; who asks waits ``patience`` at most. While a store is slower than that, everybody is refused at once, so that
/// nothing piles up.
package final class HostMetrics: Sendable {
  /// How long a scrape may take.
  package static let patience = Duration.seconds(5)

  /// What only the owner of a state folder knows at that moment.
  package struct Moment: Sendable {
    package let air: AirFigures
    /// Whether chosen meters are read passively.
    package let readsPassively: Bool

    package init(air: AirFigures, readsPassively: Bool) { (self.air, self.readsPassively) = (air, readsPassively) }
  }

  private struct Lookup: Sendable {
    let began: HostInstant
    let outcome = FirstOutcome<Result<HostFigures, StoreError>>()
  }

  /// Counts what happens.
  package let tally = HostTally()

  private let trust: HostClockTrust
  private let tellsMetersApart: Bool
  private let clock: any HostClock
  private let look: @Sendable () -> Result<HostFigures, StoreError>
  private let current = Mutex<Lookup?>(nil)
  private let queue = DispatchQueue(label: "meterhost.metrics")

  /// The metrics of a host that owns a store.
  ///
  /// - Parameters:
  ///   - trust: Whether the host's clock is trusted.
  ///   - tellsMetersApart: Whether there is a sample for each meter, under its opaque id.
  package convenience init(
    of store: MeterStore, trust: HostClockTrust, tellsMetersApart: Bool = false, clock: any HostClock
  ) {
    self.init(trust: trust, tellsMetersApart: tellsMetersApart, clock: clock) {
      do throws(StoreError) {
        return .success(try HostFigures.now(of: store, withMeters: tellsMetersApart))
      } catch { return .failure(error) }
    }
  }

  /// - Parameter look: Looks everything up; it may take its time.
  init(
    trust: HostClockTrust, tellsMetersApart: Bool = false, clock: any HostClock,
    look: @escaping @Sendable () -> Result<HostFigures, StoreError>
  ) {
    (self.trust, self.tellsMetersApart, self.clock, self.look) = (trust, tellsMetersApart, clock, look)
  }

  /// All families that are known now, by name.
  ///
  /// - Throws: ``GatewayError`` with code `metrics_slow` when the state folder does not answer in time; `StoreError` when it cannot be read.
  package func families(at moment: Moment) async throws -> [MetricFamily] {
    let figures = try await figures()
    return HostSnapshot(
      counts: tally.counts, figures: figures, air: moment.air, readsPassively: moment.readsPassively,
      isClockSynchronized: trust.isSynchronized, tellsMetersApart: tellsMetersApart
    ).families
  }

  private func figures() async throws -> HostFigures {
    let lookup = begun()
    let end = lookup.began + Self.patience
    guard clock.now < end else { throw Self.slow }
    let first = FirstOutcome<Result<HostFigures, StoreError>?>()
    let waiting = Task { first.settle(await lookup.outcome.value) }
    let timer = Task { [clock] in if await clock.elapsed(until: end) { first.settle(nil) } }
    defer {
      waiting.cancel()
      timer.cancel()
    }
    guard let result = await first.value else { throw Self.slow }
    return try result.get()
  }

  /// The lookup that goes on, or a new one.
  private func begun() -> Lookup {
    let (lookup, isNew) = current.withLock { current -> (Lookup, Bool) in
      if let current { return (current, false) }
      let new = Lookup(began: clock.now)
      current = new
      return (new, true)
    }
    if isNew {
      queue.async { [self] in
        let result = look()
        current.withLock { $0 = nil }
        lookup.outcome.settle(result)
      }
    }
    return lookup
  }

  private static var slow: GatewayError {
    GatewayError(
      .temporary, code: "metrics_slow", "the state folder did not answer within \(patience.components.seconds) seconds",
      hint: "look at its disk; nothing is lost by this")
  }
}
