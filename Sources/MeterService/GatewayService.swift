import Foundation
import HTTPServing
package import HostPrimitives
import Hummingbird
import HummingbirdCore
public import Logging
import MeterBluetooth
public import MeterCore
public import GatewayAPI
public import GatewayEngine
import NIOCore
import Synchronization

/// The host as a process that stays: owns the state folder, delivers, and does for other commands what they ask over the
/// control socket.
public struct GatewayService: Sendable {
  private let gateway: Gateway
  private let store: MeterStore
  private let radio: RadioChoice
  private let trust: HostClockTrust
  private let clock: any HostClock
  private let patience: Duration
  private let logger: Logger
  /// How many connections its socket takes at once, three quarters of them of one user.
  package var connections = 256
  /// How its console is served; nil: there is none.
  package var console: ConsoleSettings?
  /// Where it shows its metrics, and whether they tell meters apart.
  package var metrics = MetricsSetting()
  /// The newest lines of its log.
  package var log = RecentLog.shared
  /// Who has started this process and wants to know how it does; nil when nobody does.
  package var supervisor: SupervisorRequest?

  /// A service on a state folder that this process owns.
  ///
  /// - Parameters:
  ///   - radio: The radio that reads and passive reading use.
  ///   - clock: Whether the host's clock is trusted.
  ///   - patience: How long a command waits at most for the delivery of what it has put into the queue.
  public init(
    gateway: Gateway, store: MeterStore, radio: RadioChoice = RadioChoice(), clock: HostClockTrust = .kernel,
    patience: Duration = .seconds(10), logger: Logger = LogArea.core.logger
  ) {
    self.init(
      gateway: gateway, store: store, radio: radio, trust: clock, patience: patience, clock: .system, logger: logger)
    let process = ProcessInfo.processInfo
    supervisor = SupervisorRequest(environment: process.environment, process: process.processIdentifier)
  }

  /// - Parameter clock: For waiting.
  package init(
    gateway: Gateway, store: MeterStore, radio: RadioChoice = RadioChoice(), trust: HostClockTrust = .kernel,
    patience: Duration = .seconds(10), clock: any HostClock, logger: Logger = LogArea.core.logger
  ) {
    self.gateway = gateway
    self.store = store
    self.radio = radio
    self.trust = trust
    self.clock = clock
    self.patience = patience
    self.logger = logger
  }

  /// All clients are this user's or root's: what is bounded is what a program of theirs can break by mistake. A listener reads its
  /// events at its own pace.
  private var connectionLimits: ConnectionLimits {
    ConnectionLimits(connections: connections, stallTime: .seconds(24 * 3600))
  }

  /// Serves until the task is cancelled. Deliveries that are under way are finished by the next start.
  ///
  /// - Parameter onReady: Called once, when commands are answered.
  /// - Throws: ``GatewayError`` with code `control_socket`.
  public func run(onReady: @escaping @Sendable () async -> Void = {}) async throws {
    let place = try ControlSocket(stateFolder: store.folder)
    let socket = try listen(at: place)
    // The socket is reached by the folder that is open there.
    defer { withExtendedLifetime(place) { socket.remove() } }
    let keeper = DeliveryKeeper(store: store, clock: clock, logger: logger)
    let owner = GatewayOwner(gateway: gateway, store: store, radio: radio, patience: patience) {
      try await keeper.delivery()
    }
    if let console {
      try ConsoleKeeper.check(console, of: owner)
      owner.console.expect()
    }
    owner.startCounting(trust: trust, tellsMetersApart: metrics.tellsMetersApart, clock: clock)
    defer { owner.stopCounting() }
    owner.recentLog = log
    let desk = ConversationDesk()
    let systemd = supervisor.map { ServiceSupervisor($0, of: owner, clock: clock, logger: logger) }
    let tasks = start(owner, keeper, systemd)
    defer { tasks.cancel() }
    var quiet = logger
    // Below notice the server's lines quote what was asked for.
    quiet.logLevel = max(.notice, logger.logLevel)
    let serverLogger = quiet
    let registry = ConnectionRegistry(limits: connectionLimits, clock: clock)
    let version = (name: ControlVersion.headerName, value: ControlVersion.current.description)
    let form = RefusalForm(mediaType: "application/json", fields: [version]) { Array(ControlRoutes.refusal($0, $1)) }
    let refused = Mutex<SocketPath.Failure?>(nil)
    do throws(ServingError) {
      try await serveUntilCancelled(registry, logger: serverLogger) {
        desk.giveUpAll()
      } onReady: { channel in
        do throws(SocketPath.Failure) {
          try socket.publish()
        } catch {
          refused.withLock { $0 = error }
          return channel.close(promise: nil)
        }
        await systemd?.tellReady()
        await onReady()
      } _: { onServerRunning in
        Application(
          router: ControlRoutes(owner: owner, desk: desk).router(), server: GuardedChannel.server(registry, form: form),
          configuration: ApplicationConfiguration(address: .unixDomainSocket(path: socket.bindPath)),
          onServerRunning: onServerRunning, logger: serverLogger)
      }
    } catch {
      if let refusal = refused.withLock(\.self) { throw failure(refusal) }
      throw failure(error)
    }
    if let refusal = refused.withLock(\.self) { throw failure(refusal) }
    await systemd?.tellStopping()
    await tasks.end(.work)
    await tasks.end(.feedback)
    await tasks.end(.clock)
    await owner.radios.close()
    await tasks.end(.supervisor)
  }

  /// Starts what runs beside the socket.
  private func start(_ owner: GatewayOwner, _ keeper: DeliveryKeeper, _ systemd: ServiceSupervisor?) -> ServiceTasks {
    var tasks = ServiceTasks()
    var options = ReadOptions()
    options.clockTrust = trust
    let feedback = FeedbackDesk(store: store, clock: clock)
    let passive = PassiveKeeper(owner: owner, options: options, logger: logger, clock: clock) { event in
      feedback.tell(FeedbackMoment(event, in: owner.gateway))
    }
    let ingest = IngestKeeper(desk: owner.feeds, clock: clock, logger: LogArea.health.logger)
    let updates = UpdateKeeper(owner: owner, trust: trust, clock: clock, logger: LogArea.drivers.logger)
    tasks.start(.work) { await serveConsole(of: owner) }
    tasks.start(.work) { await showMetrics(of: owner) }
    tasks.start(.work) { await updates.follow() }
    tasks.start(.work) { await ingest.follow() }
    tasks.start(.work) { await owner.feeds.run() }
    tasks.start(.work) { await passive.follow() }
    tasks.start(.work) { await keeper.follow() }
    tasks.start(.feedback) { await feedback.run() }
    tasks.start(.clock) { await watchClock() }
    if let systemd { tasks.start(.supervisor) { await systemd.follow() } }
    return tasks
  }

  /// Serves the console until the task is cancelled, where there is to be one.
  private func serveConsole(of owner: GatewayOwner) async {
    guard let console else { return }
    await ConsoleKeeper(owner: owner, settings: console, clock: clock, logger: logger).follow()
  }

  /// Shows the metrics at the address that was set, if one was, until the task is cancelled.
  private func showMetrics(of owner: GatewayOwner) async {
    guard let address = metrics.address else { return }
    await MetricsKeeper(address: address, owner: owner, clock: clock, logger: logger).run()
  }

  /// Gives readings their time as soon as the host knows the date, and forgets old names. The kernel tells nobody when
  /// it is told the date.
  private func watchClock() async {
    // Whoever writes a recording looks at the others. What is left to see is that the date is known, and that they age.
    var knewDate: Bool?
    var looksAgain = clock.now
    var told: StoreError?
    let outages = OutageLog(clock: clock)
    while !Task.isCancelled {
      told = watchPlace(told)
      let knowsDate = trust.isSynchronized
      let isDue = knowsDate != knewDate || clock.now >= looksAgain
      if isDue { (knewDate, looksAgain) = (knowsDate, clock.now + .seconds(3600)) }
      do {
        try Gateway.tend(store, clock: trust, withRecordings: isDue)
        for _ in outages.worked() { logger.notice("readings without a time are corrected again") }
      } catch {
        if outages.failed("tend") != nil {
          logger.error("readings without a time are not corrected, old names not forgotten: \(error)")
        }
      }
      guard await clock.ticks(every: 10) else { return }
    }
  }

  /// Says when the state folder, or a file of it, is gone from its place, also while nobody commits. The service does not end by
  /// itself: one that is started anew would make an empty folder there, and the old one would be forgotten.
  ///
  /// - Parameter told: What was said last; it is said once.
  private func watchPlace(_ told: StoreError?) -> StoreError? {
    do throws(StoreError) {
      try store.checkPlace()
      return nil
    } catch {
      if told != error { logger.critical("\(error)") }
      return error
    }
  }

  /// Only this user may connect, whatever the mode of new files is.
  private func listen(at place: ControlSocket) throws(GatewayError) -> SocketPath {
    do { return try SocketPath(place.path, access: .user) } catch { throw failure(error) }
  }

  private func failure(_ error: SocketPath.Failure) -> GatewayError {
    GatewayError(
      .failed, code: "control_socket", "no control socket can be made in \(store.folder.path): \(error.message)")
  }

  private func failure(_ error: ServingError) -> GatewayError {
    switch error {
    case .cannotListen(let cause):
      GatewayError(
        .failed, code: "control_socket",
        "no control socket can be made in \(store.folder.path); it must be on a file system that has sockets",
        cause: cause)
    case .stopped(let cause):
      GatewayError(.failed, code: "stopped", "the service has stopped by itself; start it again", cause: cause)
    }
  }
}
