/// Where the running host shows its metrics to a Prometheus, and what it shows.
package struct MetricsSetting: Sendable, Hashable {
  /// Where it listens, beside its own socket; nil: nowhere.
  package var address: MetricsAddress?
  /// Whether meters are told apart, by the opaque ids that this host gives them.
  package var tellsMetersApart = false

  /// Nothing is switched on.
  package init(address: MetricsAddress? = nil, tellsMetersApart: Bool = false) {
    (self.address, self.tellsMetersApart) = (address, tellsMetersApart)
  }
}

/// An address of this machine and a port. A port alone is one of the loopback address; another address has to be stated.
package struct MetricsAddress: Sendable, Hashable, CustomStringConvertible {
  /// The address in digits, IPv6 without brackets.
  package let host: String
  /// The TCP port; 0 takes a free one.
  package let port: Int
  /// Whether only this machine's programs reach it.
  package let isLoopback: Bool

  /// Reads `PORT` or `ADDRESS:PORT`. Nil for a name, an address of the internet, and anything else.
  package init?(_ text: String) {
    guard let place = IngestAddress(text.contains(":") ? text : "127.0.0.1:\(text)") else { return nil }
    (host, port, isLoopback) = (place.host, place.port, place.isLoopback)
  }

  /// As it is written.
  package var description: String { on(port: port) }

  /// The same address with the port that was free.
  package func on(port: Int) -> String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension GatewayError {
  /// What is no address for metrics.
  package static func metricsAddress(_ text: String) -> GatewayError {
    GatewayError(
      .usage, code: "metrics_address", "“\(text.prefix(64))” is no address at which metrics can be shown",
      hint:
        "give a port for this machine alone, such as 9464, or an address of this machine or its network and a port, such as "
        + "192.168.1.5:9464; to the internet belongs a proxy with TLS and a password in front of it")
  }

  /// Metrics are of a running host.
  package static var noRunningHost: GatewayError {
    GatewayError(
      .unavailable, code: "no_running_host",
      "no host runs on this state folder: metrics are counted by the running host",
      hint: "start one with `meterhost run`")
  }
}
