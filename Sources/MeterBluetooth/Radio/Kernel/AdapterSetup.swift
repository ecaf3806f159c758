import BluetoothWire
import KernelBluetooth

/// Makes an adapter ready: switched on, with its bonds in the kernel.
struct AdapterSetup: Sendable {
  let index: UInt16
  let client: ManagementClient
  let bonds: any AdapterBonds
  let daemon: BluetoothDaemon
  let choice: KernelAdapters.Choice
  /// Done when the adapter has made a bond.
  let onBond: @Sendable () async -> Void

  private var name: String { KernelRadio.name(of: index) }

  /// - Returns: The radio; nil when the adapter is not among those that were chosen.
  /// - Throws: ``BluetoothError``, why it cannot be used.
  func run() async throws(BluetoothError) -> KernelRadio? {
    do {
      let bytes = try await client.perform(.readInformation, index: index, adapter: name)
      guard let information = AdapterInformation(decoding: bytes) else {
        throw KernelBluetoothError(.refused, "the kernel describes \(name) in a way that this version does not know")
      }
      guard choice.admits(name, information.address) else { return nil }
      guard information.supported.contains(.lowEnergy) else {
        throw KernelBluetoothError(
          .noLowEnergy, "\(name) cannot do Bluetooth LE; use an adapter of Bluetooth 4.0 or later")
      }
      return await daemon.isRunning() ? try await leaveAlone(information) : try await takeOver(information)
    } catch {
      throw BluetoothError(kernel: error, otherwise: .bluetoothOff)
    }
  }

  private func leaveAlone(_ information: AdapterInformation) async throws -> KernelRadio {
    guard information.current.contains(.powered) else {
      throw KernelBluetoothError.offBesideDaemon(name)
    }
    // What it does not tell now costs the choice between several adapters, and no more.
    let bonded = try? await daemon.bonded(at: name)
    return KernelRadio(
      index: index, address: information.address, client: client,
      keeper: DaemonBondKeeper(daemon: daemon, adapter: name), bonded: bonded ?? [])
  }

  private func takeOver(_ information: AdapterInformation) async throws -> KernelRadio {
    let keeper = OwnBondKeeper(bonds: bonds)
    let current = information.current
    if !current.contains(.lowEnergy) { try await set(.setLowEnergy(true)) }
    if information.supported.contains(.secureConnections), !current.contains(.secureConnections) {
      try await set(.setSecureConnections(true))
    }
    // Only while somebody pairs: see ``KernelRadio/setBondable(_:)``.
    if current.contains(.bondable) { try await set(.setBondable(false)) }
    guard let kept = try await keeper.bonds(of: information.address) else {
      return try await leaveAlone(information)
    }
    // It may have come since: keys that are loaded now would take the place of its own.
    if await daemon.isRunning() { return try await leaveAlone(information) }
    // The kernel asks meters for their identity keys only after it was given some, or none.
    try await set(.loadIdentityKeys(kept.identities))
    try await set(.loadLongTermKeys(kept.bonds.flatMap(\.keys)))
    if !current.contains(.powered) { try await set(.setPowered(true)) }
    let monitor = AirMonitor(index: index, client: client)
    await monitor.removeLeftOvers()
    return KernelRadio(
      index: index, address: information.address, client: client, keeper: keeper,
      bonded: Set(kept.bonds.compactMap(\.peer)), monitor: monitor, onBond: onBond)
  }

  private func set(_ command: ManagementCommand) async throws {
    try await client.perform(command, index: index, adapter: name)
  }
}

/// Bonds in this host's own store.
struct OwnBondKeeper: AdapterBondKeeper {
  let bonds: any AdapterBonds

  func protection(
    of peer: BluetoothAddress, at adapter: BluetoothAddress
  ) async throws(BluetoothError) -> ATTSocket.Security? {
    let bond = try kept { () throws in try bonds.bond(with: peer, at: adapter) }.flatMap(KernelBond.init(decoding:))
    // The store knows addresses without their kind: a device of the other kind with the same 48 bits is another device.
    guard let bond, bond.peer == peer else { return nil }
    return bond.isAuthenticated ? .authenticated : .encrypted
  }

  func keep(_ bond: KernelBond, at adapter: BluetoothAddress) async throws(BluetoothError) {
    guard let peer = bond.peer else { return }
    try kept { () throws in try bonds.keep(bond.encoded, with: peer, at: adapter) }
  }

  func forget(_ peer: BluetoothAddress, at adapter: BluetoothAddress) async throws(BluetoothError) {
    try kept { () throws in try bonds.keep(nil, with: peer, at: adapter) }
  }

  var daemon: BluetoothDaemon? { nil }

  func bonds(of adapter: BluetoothAddress) async throws(BluetoothError) -> KeptBonds? {
    // A bond that is damaged is none: the meter is paired anew.
    let own = try kept { () throws in try bonds.bonds(at: adapter) }.compactMap(KernelBond.init(decoding:))
    let all = try kept { () throws in try bonds.bonds() }.compactMap(KernelBond.init(decoding:))
    var peers: Set<BluetoothAddress> = []
    let identities = (own + all).compactMap(\.identity).filter { peers.insert($0.peer).inserted }
    return KeptBonds(bonds: own, identities: identities)
  }

  private func kept<Value>(_ body: () throws -> Value) throws(BluetoothError) -> Value {
    do { return try body() } catch {
      throw BluetoothError(.storeFailure, "the bonds in the state folder cannot be used: \(error)", cause: error)
    }
  }
}

extension KernelBluetoothError {
  /// The adapter is off, and bluetoothd decides that.
  static func offBesideDaemon(_ adapter: String) -> KernelBluetoothError {
    KernelBluetoothError(.poweredOff, "\(adapter) is off; switch it on with `bluetoothctl power on`")
  }
}
