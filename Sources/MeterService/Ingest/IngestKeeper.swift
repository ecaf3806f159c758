import GatewayAPI
import GatewayEngine
import HTTPServing
import HTTPTypes
import HostPrimitives
import Hummingbird
import HummingbirdCore
import Logging
import MeterCore
import NIOCore

/// Listens for posted exports where the setting says, as long as the service runs. A place that is taken is told of once, and tried again:
/// everything else goes on meanwhile.
struct IngestKeeper: Sendable {
  /// How often an address that cannot be used is tried again.
  static let retryInterval = Duration.seconds(30)
  /// How many connections there may be at once, three quarters of them of one address.
  static let connections = 64

  let desk: HealthFeedDesk
  let clock: any HostClock
  let logger: Logger
  /// How long a sender waits for the counts.
  var patience = Duration.seconds(10)

  /// Follows the setting until the task is cancelled.
  func follow() async {
    let changes = desk.addressChanges()
    var current: (address: IngestAddress, task: Task<Void, Never>)?
    var wanted = address(before: nil)
    while !Task.isCancelled {
      if wanted != current?.address {
        current?.task.cancel()
        await current?.task.value
        current = wanted.map { address in (address: address, task: Task { await keep(address) }) }
      }
      guard await changes.first(where: { _ in true }) != nil else { break }
      wanted = address(before: current?.address)
    }
    current?.task.cancel()
    await current?.task.value
  }

  /// - Parameter now: Where it listens, which stays when the setting cannot be looked up.
  private func address(before now: IngestAddress?) -> IngestAddress? {
    do throws(StoreError) { return try desk.address() } catch {
      logger.error("where exports are taken over HTTP cannot be looked up: \(error)")
      return now
    }
  }

  private func keep(_ address: IngestAddress) async {
    var told: String?
    while !Task.isCancelled {
      do throws(ServingError) {
        try await serve(address)
      } catch {
        let words = Self.words(error, address)
        if words != told { logger.error("\(words)") }
        told = words
        desk.noteEndpoint(url: nil, problem: words)
      }
      guard !Task.isCancelled, await clock.elapsed(Self.retryInterval) else { break }
    }
    desk.noteEndpoint(url: nil, problem: nil)
  }

  private func serve(_ address: IngestAddress) async throws(ServingError) {
    let registry = ConnectionRegistry(limits: Self.limits, clock: clock)
    let form = RefusalForm(mediaType: "application/json") { IngestRoutes.refusal($0, $1) }
    let routes = IngestRoutes(desk: desk, logger: logger, budget: LineBudget(clock: clock), patience: patience)
    var quiet = logger
    // Below notice the server's lines quote what was asked for.
    quiet.logLevel = max(.notice, logger.logLevel)
    let serverLogger = quiet
    try await serveUntilCancelled(registry, logger: serverLogger) { [desk, logger] channel in
      let port = channel.localAddress?.port ?? address.port
      let host = address.host.contains(":") ? "[\(address.host)]" : address.host
      desk.noteEndpoint(url: "http://\(host):\(port)/ingest/auto", problem: nil)
      logger.notice("exports are taken over HTTP", metadata: ["address": "\(host):\(port)"])
    } _: { onServerRunning in
      Application(
        router: routes.router(), server: GuardedChannel.server(registry, form: form),
        configuration: ApplicationConfiguration(address: .hostname(address.host, port: address.port)),
        onServerRunning: onServerRunning, logger: serverLogger)
    }
  }

  /// A body of the largest size has its time on a slow link, too.
  private static var limits: ConnectionLimits {
    ConnectionLimits(connections: connections, requestTime: .seconds(120 + IngestBody.limit / (32 << 10)))
  }

  private static func words(_ error: ServingError, _ address: IngestAddress) -> String {
    switch error {
    case .cannotListen(let cause):
      "exports cannot be taken at \(address), which is in use or not this machine's (\(cause))"
    case .stopped(let cause): "exports are not taken at \(address) at the moment (\(cause))"
    }
  }
}
