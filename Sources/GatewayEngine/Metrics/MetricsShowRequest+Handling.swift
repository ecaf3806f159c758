package import GatewayAPI
package import HostPrimitives
package import MeterCore
import MeterDrivers

extension MetricsShowRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) async throws -> Answer {
    Answer(families: try await owner.metricFamilies())
  }
}

extension GatewayOwner {
  /// Counts from now on what happens at the store and in workers.
  ///
  /// - Parameters:
  ///   - trust: Whether the host's clock is trusted.
  ///   - tellsMetersApart: Whether there is a sample for each meter, under its opaque id.
  ///   - clock: For waiting.
  package func startCounting(trust: HostClockTrust, tellsMetersApart: Bool, clock: any HostClock) {
    let counting = HostMetrics(of: store, trust: trust, tellsMetersApart: tellsMetersApart, clock: clock)
    let tally = counting.tally
    store.counted.listen { tally.note($0) }
    gateway.drivers.counted.listen { tally.note($0) }
    metrics = counting
  }

  /// Counts no more.
  package func stopCounting() {
    store.counted.listen(nil)
    gateway.drivers.counted.listen(nil)
    metrics = nil
  }

  /// The metrics of this moment.
  ///
  /// - Throws: ``GatewayError`` with code `no_running_host` of an owner that is no service, or `metrics_slow`; `StoreError`.
  package func metricFamilies() async throws -> [MetricFamily] {
    guard let metrics else { throw GatewayError.noRunningHost }
    return try await metrics.families(
      at: HostMetrics.Moment(air: await radios.figures, readsPassively: readsPassively && passiveProblem == nil))
  }
}
