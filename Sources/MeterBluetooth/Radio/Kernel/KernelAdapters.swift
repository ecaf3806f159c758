import BluetoothWire
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
    var isFailed: BluetoothError?
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
  private let roll = RadioRoll()
  private let daemon: BluetoothDaemon
  private let clientBox = Mutex<ManagementClient?>(nil)

  /// Adapters whose bonds are kept here, unless bluetoothd runs them.
  public init(_ choice: Choice = Choice(), bonds: any AdapterBonds) {
    self.choice = choice
    self.bonds = bonds
    daemon = BluetoothDaemon()
  }

  deinit { roll.finish() }

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
      }
    } catch {
      throw BluetoothError(kernel: error, otherwise: .bluetoothOff)
    }
    client.start()
    clientBox.withLock { $0 = client }
    for index in try await indices(client) { await setUp(index, client) }
    Task { [weak self] in
      for await (index, event) in events { await self?.take(event, index, client) }
    }
    Task { [weak self] in
      while (try? await Task.sleep(for: Self.retryInterval)) != nil {
        guard let self else { return }
        for index in self.unusable { await self.setUp(index, client) }
      }
    }
  }

  /// The adapters that can be used, now and after each change.
  public func radios() -> AsyncStream<[any NamedRadio]> { roll.stream() }

  /// The adapters that can be used now.
  public var current: [KernelRadio] {
    state.withLock { state in state.radios.values.compactMap(\.self).sorted { $0.index < $1.index } }
  }

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

  private func take(_ event: ManagementEvent, _ index: UInt16, _ client: ManagementClient) async {
    switch event {
    case .adapterAdded: await setUp(index, client)
    case .adapterRemoved:
      lose(index, Self.gone(index))
      state.withLock { state in
        state.radios[index] = nil
        state.problems[index] = nil
      }
    case .settings(let settings):
      let isUsed = radio(index) != nil
      if isUsed, !settings.contains(.powered) {
        // An adapter that is unplugged is switched off first.
        lose(index, Self.gone(index))
      } else if !isUsed, settings.contains(.powered) {
        await setUp(index, client)
      }
    default: break
    }
  }

  private static func gone(_ index: UInt16) -> BluetoothError {
    BluetoothError(
      .adapterGone,
      "\(KernelRadio.name(of: index)) was unplugged or switched off; plug it in or switch it on, and try again")
  }

  private func lose(_ index: UInt16, _ error: BluetoothError) {
    let radio = state.withLock { state in
      defer {
        state.radios[index] = .some(nil)
        state.problems[index] = error
      }
      return state.radios[index] ?? nil
    }
    radio?.end(error)
    tell()
  }

  private func fail(_ error: BluetoothError) {
    let radios = state.withLock { state in
      state.isFailed = error
      defer { state.radios = [:] }
      return state.radios.values.compactMap(\.self)
    }
    for radio in radios { radio.end(error) }
    tell()
  }

  private func setUp(_ index: UInt16, _ client: ManagementClient) async {
    let setup = AdapterSetup(index: index, client: client, bonds: bonds, daemon: daemon, choice: choice)
    do throws(BluetoothError) {
      let radio = try await setup.run()
      state.withLock { state in
        state.radios[index] = .some(radio)
        state.problems[index] = nil
      }
    } catch {
      let isNew = state.withLock { state in
        defer {
          state.radios[index] = .some(nil)
          state.problems[index] = error
        }
        return state.problems[index]?.message != error.message
      }
      if isNew { Self.log.warning("\(KernelRadio.name(of: index)) cannot be used: \(error.message)") }
    }
    tell()
  }

  private func tell() { roll.set(current) }
}
