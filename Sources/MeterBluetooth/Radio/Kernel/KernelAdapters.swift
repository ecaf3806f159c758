import BluetoothWire
import HostPrimitives
import KernelBluetooth
import Logging
import MeterCore
import Synchronization

/// The kernel's adapters: which there are, and which can be used, while they come and go.
///
/// An adapter becomes a ``KernelRadio`` when it is switched on and set up. On an adapter of this host's own, the bonds in the
/// state folder are handed to the kernel; an adapter that bluetoothd runs is left as it is.
public final class KernelAdapters: RadioSource {
  private struct State {
    /// Adapters by the kernel's index; nil while one is being set up, or cannot be used.
    var radios: [UInt16: KernelRadio?] = [:]
    var problems: [UInt16: BluetoothError] = [:]
    /// Which of the adapters that have come with an index is there now; none when the last has gone.
    var comings: [UInt16: UInt64] = [:]
    var settingUp: Set<UInt16> = []
    var next: UInt64 = 0
    var isFailed: BluetoothError?
    var isReopening = false
    var connection: Connection?

    var usable: [KernelRadio] { radios.values.compactMap(\.self).sorted { $0.index < $1.index } }

    mutating func remove(_ index: UInt16) {
      radios[index] = nil
      problems[index] = nil
      comings[index] = nil
    }

    mutating func come(_ index: UInt16) {
      next += 1
      comings[index] = next
    }
  }

  /// What has to end with the adapters: nobody else holds the kernel's interface for long.
  private struct Connection {
    let client: ManagementClient
    let post: AsyncStream<(UInt16, ManagementEvent)>.Continuation
    let tasks: [Task<Void, Never>]

    func end() {
      post.finish()
      for task in tasks { task.cancel() }
    }
  }

  /// Which adapters are wanted: `hci0`, or an address; none named means all.
  public struct Choice: Sendable, Hashable {
    let names: Set<String>

    /// The adapters of these names and addresses.
    public init(_ names: [String] = []) { self.names = Set(names.map { $0.uppercased() }) }

    func admits(_ name: String, _ address: BluetoothAddress) -> Bool {
      names.isEmpty || names.contains(name.uppercased()) || names.contains(address.description)
    }
  }

  private static let log = LogArea.bluetooth.logger
  /// How often an adapter that could not be used is tried again: rfkill and firmware tell nobody when they let it go.
  static let retryInterval = Duration.seconds(5)

  private let choice: Choice
  private let bonds: any AdapterBonds
  private let state = Mutex(State())
  /// The radios of the moment.
  private let roll = Broadcast<[any NamedRadio]>(latest: [])
  private let daemon: BluetoothDaemon
  let clock: any HostClock = .system

  /// Adapters whose bonds are kept here, unless bluetoothd runs them.
  public init(_ choice: Choice = Choice(), bonds: any AdapterBonds) {
    self.choice = choice
    self.bonds = bonds
    daemon = BluetoothDaemon()
  }

  deinit {
    state.withLock { $0.connection }?.end()
    roll.finish()
  }

  /// Opens the kernel's Bluetooth and sets up what is there; what comes later is set up when it comes.
  ///
  /// - Throws: ``BluetoothError``: `bluetoothOff` without a kernel's Bluetooth or, when nothing may come later, an adapter;
  ///   `noPermission`.
  public func open() async throws(BluetoothError) {
    let (events, post) = AsyncStream<(UInt16, ManagementEvent)>.makeStream()
    let client: ManagementClient
    do {
      client = try ManagementClient { [weak self] index, event in
        // In its place among the others; only what changes the adapters themselves waits.
        switch event {
        case .adapterAdded, .adapterRemoved, .settings: post.yield((index, event))
        default: self?.radio(index)?.take(event)
        }
      } onEnd: { [weak self] error in
        self?.fail(BluetoothError(kernel: error, otherwise: .bluetoothOff))
        post.finish()
        self?.reopen()
      }
    } catch {
      throw BluetoothError(kernel: error, otherwise: .bluetoothOff)
    }
    client.start()
    let found = try await indices(client)
    let taking = Task { [weak self, weak client] in
      for await (index, event) in events {
        guard let self, let client else { return }
        self.take(event, index, client)
      }
    }
    let retrying = Task { [weak self, weak client, clock] in
      while await clock.elapsed(Self.retryInterval) {
        guard let self, let client else { return }
        for index in self.unusable { self.beginSetUp(index, client) }
        await self.followDaemon(client)
      }
    }
    let before = state.withLock { state in
      defer { state.connection = Connection(client: client, post: post, tasks: [taking, retrying]) }
      state.isFailed = nil
      for index in found { state.come(index) }
      return state.connection
    }
    before?.end()
    await withDiscardingTaskGroup { group in
      for index in found { group.addTask { await self.setUp(index, client) } }
    }
  }

  /// Opens the kernel's Bluetooth again after it was closed, as soon as that can be done.
  private func reopen() {
    let isFirst = state.withLock { state in
      defer { state.isReopening = true }
      return !state.isReopening
    }
    guard isFirst else { return }
    Task { [weak self, clock] in
      try? await clock.sleep(for: Self.retryInterval)
      guard let self else { return }
      self.state.withLock { $0.isReopening = false }
      do throws(BluetoothError) { try await self.open() } catch { self.reopen() }
    }
  }

  /// The adapters that can be used, now and after each change.
  public func radios() -> AsyncStream<[any NamedRadio]> { roll.listen() }

  /// The adapters that can be used now.
  public var current: [KernelRadio] { state.withLock { $0.usable } }

  /// Why an adapter cannot be used, or why there is none.
  public var problem: BluetoothError {
    let (failed, problems) = state.withLock { ($0.isFailed, $0.problems) }
    if let error = failed ?? problems.sorted(by: { $0.key < $1.key }).first?.value { return error }
    let named = choice.names.sorted().joined(separator: ", ")
    return BluetoothError(
      .bluetoothOff,
      named.isEmpty
        ? "this machine has no Bluetooth adapter; plug one in, or use the virtual radio with --air"
        : "there is no adapter \(named); `meterhost doctor` lists what there is")
  }

  private func radio(_ index: UInt16) -> KernelRadio? { state.withLock { $0.radios[index] ?? nil } }

  private var unusable: [UInt16] {
    state.withLock { state in state.radios.filter { $0.value == nil && state.problems[$0.key] != nil }.map(\.key) }
  }

  private func indices(_ client: ManagementClient) async throws(BluetoothError) -> [UInt16] {
    do {
      let bytes = try await client.perform(.readIndexList, index: ManagementPacket.noAdapter, adapter: "the kernel")
      return ManagementAnswer.indices(bytes)
    } catch {
      throw BluetoothError(kernel: error, otherwise: .bluetoothOff)
    }
  }

  private func take(_ event: ManagementEvent, _ index: UInt16, _ client: ManagementClient) {
    switch event {
    case .adapterAdded:
      state.withLock { $0.come(index) }
      beginSetUp(index, client)
    case .adapterRemoved:
      lose(index, Self.gone(index))
      state.withLock { $0.remove(index) }
    case .settings(let settings):
      let isUsed = radio(index) != nil
      if isUsed, !settings.contains(.powered) {
        // An adapter that is unplugged is switched off first.
        lose(index, Self.gone(index))
      } else if !isUsed, settings.contains(.powered) {
        beginSetUp(index, client)
      }
    default: break
    }
  }

  /// bluetoothd has begun or ended since an adapter was set up: the one who keeps its bonds is another now.
  private func followDaemon(_ client: ManagementClient) async {
    guard let runs = await daemon.runs() else { return }
    for radio in current where (radio.keeper.daemon != nil) != runs {
      let what = runs ? "bluetoothd has begun to run" : "bluetoothd runs no more"
      lose(radio.index, BluetoothError(.adapterGone, "\(what) \(radio.name); try again in some seconds"))
      beginSetUp(radio.index, client)
    }
  }

  private static func gone(_ index: UInt16) -> BluetoothError {
    BluetoothError(
      .adapterGone,
      "\(KernelRadio.name(of: index)) was unplugged or switched off; plug it in or switch it on, and try again")
  }

  private func lose(_ index: UInt16, _ error: BluetoothError) {
    let radio = state.withLock { state in
      let radio = state.radios[index] ?? nil
      state.radios[index] = .some(nil)
      state.problems[index] = error
      // Under the lock, as everywhere: whoever tells last has to be the one who has changed last.
      roll.send(state.usable)
      return radio
    }
    radio?.end(error)
  }

  private func fail(_ error: BluetoothError) {
    let radios = state.withLock { state in
      let radios = state.usable
      state.isFailed = error
      state.radios = [:]
      state.problems = [:]
      state.comings = [:]
      roll.send([])
      return radios
    }
    for radio in radios { radio.end(error) }
  }

  /// Sets an adapter up in a task of its own: one that is slow keeps no other waiting.
  private func beginSetUp(_ index: UInt16, _ client: ManagementClient) {
    Task { await setUp(index, client) }
  }

  /// An adapter has made a bond: the others have to recognise the meter, whose address may change.
  private func shareIdentities(from index: UInt16) async {
    for radio in current where radio.index != index { await radio.loadIdentities() }
  }

  private func setUp(_ index: UInt16, _ client: ManagementClient) async {
    // One at a time; who is at it sees when another adapter has come meanwhile.
    guard state.withLock({ $0.settingUp.insert(index).inserted }) else { return }
    var isDone = false
    while !isDone {
      let coming = state.withLock { $0.comings[index] }
      let setup = AdapterSetup(index: index, client: client, bonds: bonds, daemon: daemon, choice: choice) {
        [weak self] in await self?.shareIdentities(from: index)
      }
      let result: Result<KernelRadio?, BluetoothError>
      do throws(BluetoothError) { result = .success(try await setup.run()) } catch { result = .failure(error) }
      isDone = note(result, of: index, coming)
    }
  }

  /// - Returns: False when another adapter has come with this index meanwhile, which has to be set up.
  private func note(_ result: Result<KernelRadio?, BluetoothError>, of index: UInt16, _ coming: UInt64?) -> Bool {
    let (isDone, before, isNew) = state.withLock { state -> (Bool, KernelRadio?, Bool) in
      let present = state.comings[index]
      guard let present, present == coming else {
        // What was set up is there no more.
        if present == nil { state.settingUp.remove(index) }
        return (present == nil, nil, false)
      }
      state.settingUp.remove(index)
      let before = state.radios[index] ?? nil
      var isNew = false
      switch result {
      case .success(let radio):
        state.radios[index] = .some(radio)
        state.problems[index] = nil
      case .failure(let error) where (error.cause as? KernelBluetoothError)?.status == .invalidIndex:
        state.remove(index)
      case .failure(let error):
        isNew = state.problems[index]?.message != error.message
        state.radios[index] = .some(nil)
        state.problems[index] = error
      }
      roll.send(state.usable)
      return (true, before, isNew)
    }
    before?.end(Self.gone(index))
    if isNew, case .failure(let error) = result {
      Self.log.warning("\(KernelRadio.name(of: index)) cannot be used: \(error.message)")
    }
    return isDone
  }
}
