import GatewayAPI
import GatewayEngine
import HTTPServing
import HostPrimitives
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// Shows the metrics at an address as long as the service runs. An address that is taken is told of once, and tried again: readings matter
/// more.
struct MetricsKeeper: Sendable {
  /// How often an address that cannot be used is tried again.
  static let retryInterval = Duration.seconds(30)
  /// How many connections there may be at once, three quarters of them of one address: a Prometheus has one.
  static let connections = 16

  let address: MetricsAddress
  let owner: GatewayOwner
  let clock: any HostClock
  let logger: Logger
  /// Hears at which port it listens.
  var onListening: @Sendable (Int) -> Void = { _ in }

  /// Serves until the task is cancelled.
  func run() async {
    if !address.isLoopback {
      logger.warning(
        "metrics can be read without a password by everybody who reaches this address",
        metadata: ["address": "\(address)"])
    }
    var told: String?
    while !Task.isCancelled {
      do throws(ServingError) {
        try await serve()
      } catch {
        let words = description(of: error)
        if words != told { logger.error("\(words)") }
        told = words
      }
      guard !Task.isCancelled, await clock.elapsed(Self.retryInterval) else { break }
    }
  }

  private func serve() async throws(ServingError) {
    // A request has no body, and an answer is made in seconds.
    let limits = ConnectionLimits(
      connections: Self.connections, headTime: .seconds(10), requestTime: .seconds(20), stallTime: .seconds(20))
    let registry = ConnectionRegistry(limits: limits, clock: clock)
    let routes = MetricsRoutes(owner: owner, logger: logger, outages: OutageLog(clock: clock))
    var quiet = logger
    // Below notice the server's lines quote what was asked for.
    quiet.logLevel = max(.notice, logger.logLevel)
    let serverLogger = quiet
    try await serveUntilCancelled(registry, logger: serverLogger) { [address, logger, onListening] channel in
      let port = channel.localAddress?.port ?? address.port
      logger.notice("metrics are shown over HTTP", metadata: ["address": "\(address.on(port: port))"])
      onListening(port)
    } _: { onServerRunning in
      Application(
        router: routes.router(), server: GuardedChannel.server(registry, form: .text),
        configuration: ApplicationConfiguration(address: .hostname(address.host, port: address.port)),
        onServerRunning: onServerRunning, logger: serverLogger)
    }
  }

  private func description(of error: ServingError) -> String {
    switch error {
    case .cannotListen(let cause):
      "metrics cannot be shown at \(address), which is in use or not this machine's (\(cause))"
    case .stopped(let cause): "metrics are not shown at \(address) at the moment (\(cause))"
    }
  }
}
