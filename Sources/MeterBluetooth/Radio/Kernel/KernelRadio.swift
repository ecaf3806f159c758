public import BluetoothWire
import HostPrimitives
import KernelBluetooth
import Synchronization

/// One adapter of the kernel's: a radio for meters on the real air.
///
/// Discovery and pairing go through the kernel's management interface, ATT through an L2CAP socket. Whether this host keeps
/// the adapter's bonds, or bluetoothd does, decides ``KernelAdapters``.
public final class KernelRadio: NamedRadio {
  struct State {
    var listeners: [UInt64: AdvertisementQueue] = [:]
    var watchers: [UInt64: @Sendable (ManagementEvent) -> Void] = [:]
    var links: [BluetoothAddress: ATTSocket] = [:]
    /// Connections that are being made: Linux makes none while it discovers.
    var connecting = 0
    var bonded: Set<BluetoothAddress>
    /// Meters that have shown that they do not know the bond any more.
    var lostBonds: Set<BluetoothAddress> = []
    /// Meters with lost bonds whose keys nobody has any more but the store, until they are paired.
    var droppedBonds: Set<BluetoothAddress> = []
    /// Meters with which somebody pairs.
    var pairing: Set<BluetoothAddress> = []
    /// Pairings for which the kernel has to make bonds.
    var pairings = 0
    var next: UInt64 = 0
    var discovery = DiscoveryMachine()
    var end: BluetoothError?

    /// Whether a discovery is to run.
    var discovers: Bool { !listeners.isEmpty && connecting == 0 }
  }

  /// The adapter's name, such as `hci0`.
  public let name: String
  /// The adapter's identity address: bonds belong to it.
  public let address: BluetoothAddress

  let index: UInt16
  let client: ManagementClient
  let clock: any HostClock
  let keeper: any AdapterBondKeeper
  /// Nil on an adapter that another program runs.
  let monitor: AirMonitor?
  /// Done when a bond was made.
  let onBond: @Sendable () async -> Void
  let state: Mutex<State>

  /// How long to wait before a discovery that was refused is asked for again.
  static let discoveryPause = Duration.milliseconds(500)

  init(
    index: UInt16, address: BluetoothAddress, client: ManagementClient, keeper: any AdapterBondKeeper,
    bonded: Set<BluetoothAddress> = [], monitor: AirMonitor? = nil,
    onBond: @escaping @Sendable () async -> Void = {}, clock: any HostClock = .system
  ) {
    self.clock = clock
    self.monitor = monitor
    self.onBond = onBond
    state = Mutex(State(bonded: bonded))
    self.index = index
    name = Self.name(of: index)
    self.address = address
    self.client = client
    self.keeper = keeper
  }

  static func name(of index: UInt16) -> String { "hci\(index)" }

  /// Advertisements of every device within reach.
  public func advertisements() -> AsyncThrowingStream<AdvertisingReport, any Error> {
    let queue = AdvertisementQueue()
    let id = state.withLock { state -> UInt64? in
      guard state.end == nil else { return nil }
      state.next += 1
      state.listeners[state.next] = queue
      return state.next
    }
    guard let id else {
      queue.finish(throwing: state.withLock { $0.end })
      return queue.stream {}
    }
    listenOrPause()
    return queue.stream { [weak self] in self?.stopListening(id) }
  }

  /// Opens the meter's ATT link and encrypts it when there is a bond. With a meter that has lost its half of the bond the link
  /// stays in the clear.
  ///
  /// - Throws: ``BluetoothError``: `connectionFailure`; `adapterGone`, `bluetoothOff`, `noPermission`.
  public func connect(to address: BluetoothAddress) async throws(BluetoothError) -> any ATTBearer {
    var link = try await open(address)
    var opening = LinkOpening()
    do throws(BluetoothError) {
      if let level = try await protection(of: address) {
        opening = await LinkOpening(on: link)
        if try await !encrypt(link, with: address, level) {
          // The kernel has dropped the link that it could not encrypt.
          opening = LinkOpening()
          link = try await open(address)
        }
      }
    } catch {
      // Nobody else knows of the link: what is left open here stays connected until the process ends.
      drop(address, link)
      throw error
    }
    let socket = link
    return KernelBearer(socket: socket, opening: opening) { [weak self] in self?.drop(address, socket) }
  }

  /// The protection that a link to the meter is to have before anything is asked of it; nil without a bond.
  private func protection(of address: BluetoothAddress) async throws(BluetoothError) -> ATTSocket.Security? {
    // Without its key the kernel would pair instead.
    guard !state.withLock({ $0.droppedBonds.contains(address) }) else { return nil }
    return try await keeper.protection(of: address, at: self.address)
  }

  /// - Returns: False when the meter does not know the bond any more; the link is gone then.
  private func encrypt(
    _ socket: ATTSocket, with address: BluetoothAddress, _ level: ATTSocket.Security
  ) async throws(BluetoothError) -> Bool {
    let encrypts = try await LinkEncryption(radio: self, socket: socket, peer: address).raise(to: level)
    state.withLock { state in
      if encrypts { state.lostBonds.remove(address) } else { state.lostBonds.insert(address) }
    }
    return encrypts
  }

  /// What ended the adapter; nil while it can be used.
  public var end: BluetoothError? { state.withLock { $0.end } }

  private func open(_ address: BluetoothAddress) async throws(BluetoothError) -> ATTSocket {
    if let end { throw end }
    state.withLock { $0.connecting += 1 }
    listenOrPause()
    defer {
      state.withLock { $0.connecting -= 1 }
      listenOrPause()
    }
    // The kernel takes the first parameters that it finds for a meter; without them it makes do with its own. The list takes
    // the place of the one before, which is bluetoothd's on an adapter that it runs.
    if keeper.daemon == nil {
      _ = try? await client.perform(
        .loadConnectionParameters([.forMeter(address)]), index: index, adapter: name, patience: .seconds(2))
    }
    do {
      let socket = try await ATTSocket.connect(from: self.address, to: address)
      let before = state.withLock { $0.links.updateValue(socket, forKey: address) }
      before?.close()
      return socket
    } catch {
      throw end ?? BluetoothError(kernel: error, otherwise: .connectionFailure)
    }
  }

  /// Whether the meter has shown on its last link that it does not know the bond any more.
  public func hasLostBond(with address: BluetoothAddress) async -> Bool {
    state.withLock { $0.lostBonds.contains(address) }
  }

  /// Whether this adapter has a bond with the meter, by what it knows itself.
  public func isBonded(with address: BluetoothAddress) -> Bool { state.withLock { $0.bonded.contains(address) } }

  /// Whether the meter's link is encrypted.
  public func isPaired(with address: BluetoothAddress) async -> Bool { level(of: address) > .none }

  /// The level of the meter's link; 1 when there is none.
  public func security(of address: BluetoothAddress) async -> UInt8 { level(of: address).rawValue }

  func level(of address: BluetoothAddress) -> ATTSocket.Security {
    state.withLock { $0.links[address] }?.security ?? .none
  }

  private func drop(_ address: BluetoothAddress, _ socket: ATTSocket) {
    state.withLock { state in if state.links[address] === socket { state.links[address] = nil } }
    socket.close()
  }
}

extension KernelRadio {
  /// The kernel tells something of this adapter.
  func take(_ event: ManagementEvent) {
    switch event {
    case .found(let report):
      for queue in state.withLock({ Array($0.listeners.values) }) { queue.put(report) }
    case .discovering(let isOn): discover(.discovering(isOn))
    default:
      for watcher in state.withLock({ Array($0.watchers.values) }) { watcher(event) }
      refuseStranger(event)
    }
  }

  /// The adapter is gone, or off: nothing is heard any more, and links end by themselves.
  func end(_ error: BluetoothError) {
    let listeners = state.withLock { state in
      state.end = state.end ?? error
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    for queue in listeners { queue.finish(throwing: error) }
  }

  /// Has what the kernel tells handed to somebody, until the returned closure is called.
  func watch(_ watcher: @escaping @Sendable (ManagementEvent) -> Void) -> @Sendable () -> Void {
    let id = state.withLock { state in
      state.next += 1
      state.watchers[state.next] = watcher
      return state.next
    }
    return { [weak self] in self?.state.withLock { $0.watchers[id] = nil } }
  }

  private func stopListening(_ id: UInt64) {
    state.withLock { $0.listeners[id] = nil }
    listenOrPause()
  }

  /// Discovers while somebody listens and nobody connects. The monitor stays: it goes on hearing meanwhile.
  private func listenOrPause() {
    if !state.withLock({ $0.discovers }) { discover(.wanted(false)) }
    Task { [weak self, monitor] in
      // Before the discovery: what the controller is told to leave out is decided when it begins.
      await monitor?.follow { [weak self] in
        // Another radio may have the index of one that has ended.
        self?.state.withLock { $0.end == nil ? !$0.listeners.isEmpty : nil }
      }
      guard let self else { return }
      self.discover(.wanted(self.state.withLock { $0.discovers }))
    }
  }

  private func discover(_ input: DiscoveryMachine.Input) {
    // Another radio may have the index of one that has ended.
    for command in state.withLock({ $0.end == nil ? $0.discovery.handle(input) : [] }) {
      switch command {
      case .start:
        Task { [weak self] in
          let status = await self?.status(of: .startDiscovery)
          if let status { self?.discover(.started(status)) }
        }
      case .stop:
        Task { [weak self] in
          _ = await self?.status(of: .stopDiscovery)
          self?.discover(.stopped)
        }
      case .retry:
        Task { [weak self, clock] in
          try? await clock.sleep(for: Self.discoveryPause)
          self?.discover(.retryTime)
        }
      case .fail(let status): failListening(status)
      }
    }
  }

  private func status(of command: ManagementCommand) async -> ManagementStatus {
    do {
      try await client.perform(command, index: index, adapter: name)
      return .success
    } catch {
      return error.status ?? .failed
    }
  }

  private func failListening(_ status: ManagementStatus) {
    let error = KernelBluetoothError(status, trying: "listen for meters", adapter: name)
    let listeners = state.withLock { state in
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    for queue in listeners { queue.finish(throwing: BluetoothError(kernel: error, otherwise: .bluetoothOff)) }
  }
}
