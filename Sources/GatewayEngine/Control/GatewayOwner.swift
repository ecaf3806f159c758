public import GatewayAPI
import Logging
public import MeterBluetooth
public import MeterCore
import MeterDrivers
import Synchronization

/// The process that owns a state folder, and what it does for others: a command that found the folder free, or the
/// running service.
public final class GatewayOwner: Sendable {
  /// Catalogue and drivers, as the registry's files say now: what is installed while a service runs holds for its next
  /// session.
  public var gateway: Gateway { current.gateway() }
  /// The state, owned by this process.
  public let store: MeterStore
  /// The radios that reads, scans and passive reading share.
  public let radios: RadioDesk
  /// Imports exports of health stores.
  package let health: HealthDesk
  /// What brings exports of health stores by itself.
  package let feeds: HealthFeedDesk
  /// The way to the console, where this process serves one.
  package let console = ConsoleDoor()
  /// Looks for updates of drivers.
  package let updates: DriverUpdateDesk

  private let current: CurrentGateway
  /// Whether deliveries go on by themselves in this process.
  let deliversByItself: Bool
  private let patience: Duration
  private let currentDelivery: @Sendable () async throws -> GatewayDelivery?
  private let isReading = Mutex(false)
  private let passive = Mutex<PassiveManager?>(nil)
  private let problem = Mutex<String?>(nil)
  private let passiveStamp = Mutex<RegistryStamp?>(nil)
  private let hostMetrics = Mutex<HostMetrics?>(nil)
  private let log = Mutex<RecentLog?>(nil)

  /// An owner.
  ///
  /// - Parameters:
  ///   - radio: The radio that is used where a request names none.
  ///   - patience: How long a command waits at most for a running delivery of what it has put into the queue.
  ///   - delivery: The running delivery of the session in force; without it one is made for each use, and delivers only
  ///     what it is asked to.
  public init(
    gateway: Gateway, store: MeterStore, radio: RadioChoice = RadioChoice(), patience: Duration = .seconds(10),
    delivery: (@Sendable () async throws -> GatewayDelivery?)? = nil
  ) {
    current = CurrentGateway(gateway)
    health = HealthDesk(store: store, current: current)
    updates = DriverUpdateDesk(store: store)
    self.store = store
    radios = RadioDesk(store: store, standing: radio)
    self.patience = patience
    deliversByItself = delivery != nil
    currentDelivery = delivery ?? { try GatewayDelivery.configured(store: store) }
    let taker = OwnersTaker()
    feeds = HealthFeedDesk(store: store, taker: taker)
    taker.serve(self)
  }

  /// Does one thing as the owner, and puts the radios away that it took.
  public func once<Value: Sendable>(
    _ body: @escaping @Sendable (GatewayOwner) async throws -> Value
  ) async throws -> Value {
    do {
      let value = try await body(self)
      await radios.close()
      return value
    } catch {
      await radios.close()
      throw error
    }
  }

  /// The delivery of the session in force; nil without a session or a receiver.
  ///
  /// - Throws: ``GatewayError`` or `StoreError`.
  public func delivery() async throws -> GatewayDelivery? { try await currentDelivery() }

  /// Delivers what was just put into the queue, as far as that is possible now. A service does it by itself, and waits for
  /// nothing but these records.
  ///
  /// They are on disk, so a delivery that cannot begin is no failure of whoever asked: told of one, they would submit again,
  /// and the reading would be there twice. It is logged, and the records wait in the queue.
  ///
  /// - Parameter generation: The session that the records belong to.
  /// - Returns: What has become of them when that session is over by now, as after a 401; nil as long as it goes on.
  /// - Throws: `StoreError`.
  func deliver(_ logIDs: [LogID], of generation: SessionGeneration) async throws -> LeftBehind? {
    let cursor = try store.newestEvent()
    await deliverOrTell(logIDs)
    guard try store.currentSession().generation != generation else { return nil }
    return try LeftBehind(logIDs, after: cursor, in: store)
  }

  private func deliverOrTell(_ logIDs: [LogID]) async {
    do {
      guard let delivery = try await delivery() else { return }
      guard deliversByItself else {
        _ = await delivery.drain()
        return
      }
      try await delivery.settle(logIDs, within: patience)
    } catch {
      let words = GatewayError(describing: error)?.message ?? "\(type(of: error))"
      LogArea.core.logger.warning("what was submitted is kept, and its delivery could not begin: \(words)")
    }
  }

  /// A controller on the radios that are chosen.
  ///
  /// - Throws: ``GatewayError`` or `BluetoothError` when there is no such radio.
  func controller(_ radio: RadioChoice) async throws -> PeripheralController {
    gateway.controller(store: store, traffic: try await radios.traffic(radio))
  }

  /// Whether this process reads passively.
  public var readsPassively: Bool { passive.withLock { $0 != nil } }

  /// Why this process does not read passively, though it tries to; nil when it does, or does not try.
  public var passiveProblem: String? {
    get { problem.withLock(\.self) }
    set { problem.withLock { $0 = newValue } }
  }

  /// What a running host counts; nil of an owner that is no service.
  package var metrics: HostMetrics? {
    get { hostMetrics.withLock(\.self) }
    set { hostMetrics.withLock { $0 = newValue } }
  }

  /// The newest log lines of a running host; nil of an owner that is no service.
  package var recentLog: RecentLog? {
    get { log.withLock(\.self) }
    set { log.withLock { $0 = newValue } }
  }

  /// Begins to read passively what is chosen, and what will be.
  ///
  /// - Returns: What happens to the meters from now on.
  /// - Throws: As ``RadioDesk/traffic(_:)``; ``GatewayError`` with code `unknown_zone`; `BluetoothError` when the choice cannot be
  ///   read.
  public func startPassive(_ options: ReadOptions = ReadOptions()) async throws -> AsyncStream<PassiveEvent> {
    try checkZone()
    let traffic = try await radios.traffic()
    let manager = PassiveManager(traffic: traffic, store: store, options: options) { [current] in
      let gateway = current.gateway()
      return PassiveManager.Catalogue(registry: gateway.registry, bundles: gateway.bundles, drivers: gateway.drivers)
    }
    let events = manager.events()
    // First of all: what is chosen from now on is chosen there, too.
    passive.withLock { $0 = manager }
    do { try manager.start() } catch {
      stopPassive()
      throw error
    }
    return events
  }

  /// A person has entered a key, changed a meter's settings or let a driver be used again: passive reading tries what has
  /// waited for that.
  func retryPassive() {
    do { try passive.withLock({ $0 })?.start() } catch {
      LogArea.bluetooth.logger.error("passive reading goes on as before: \(error)")
    }
  }

  /// Lets passive reading follow the registry when its files have changed since this was last called.
  public func followRegistry() {
    let now = gateway.stamp
    let before = passiveStamp.withLock { stamp in
      defer { stamp = now }
      return stamp
    }
    if let before, before != now { retryPassive() }
  }

  /// Ends passive reading; the choice stays.
  public func stopPassive() {
    passive.withLock { manager in
      manager?.stop()
      manager = nil
    }
  }

  /// Ends passive reading and waits, for a while, until what is under way has committed what it has; the choice stays. It
  /// waits in a cancelled task, too.
  public func endPassive(within patience: Duration = .seconds(5)) async {
    let manager = passive.withLock { $0 }
    stopPassive()
    await Task { await manager?.settle(within: patience) }.value
  }

  /// Chooses what is read passively, from now on or from the next start of a service.
  func choosePassive(_ peripherals: [UInt32]) async throws {
    if let manager = passive.withLock({ $0 }) { return try manager.choose(peripherals) }
    try PassiveManager.keep(peripherals, in: store, gateway.registry)
  }

  /// Whether no meter is being read by this process: neither for a person nor passively.
  package var isQuiet: Bool { !operationInProgress && !(passive.withLock { $0 }?.isReading ?? false) }

  /// Whether a person's operation is under way.
  public var operationInProgress: Bool { isReading.withLock(\.self) }

  /// Runs the one interactive operation that may run at a time.
  ///
  /// - Throws: `BluetoothError` with code `busy` while another runs; what the body throws.
  func interactively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
    let isFirst = isReading.withLock { isReading in
      defer { isReading = true }
      return !isReading
    }
    guard isFirst else { throw BluetoothError(.busy, "another meter is being read; wait for it or cancel it") }
    defer { isReading.withLock { $0 = false } }
    return try await body()
  }
}
