/// What the running host counts and measures.
package struct MetricsShowRequest: ControlRequest {
  /// Its metrics.
  package struct Answer: Codable, Sendable, Hashable {
    /// By name.
    package var families: [MetricFamily]

    package init(families: [MetricFamily]) { self.families = families }
  }

  /// Its name on the socket.
  package static let name = "metrics.show"
  /// It changes nothing.
  package static let onlyLooks = true
  /// What changes nothing may be asked twice.
  package static let isRepeatable = true

  /// Asks for them.
  package init() {}
}
