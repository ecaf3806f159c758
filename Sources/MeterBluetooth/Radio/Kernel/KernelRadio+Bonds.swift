public import BluetoothWire
import KernelBluetooth
import Synchronization

extension KernelRadio {
  /// Hands the kernel the bonds that are kept, in place of all that it has; nothing where they are another program's to give.
  ///
  /// - Throws: ``BluetoothError`` with code `storeFailure`, or what the adapter says.
  func loadBonds() async throws(BluetoothError) {
    guard let kept = try await keeper.bonds(of: address) else { return }
    do {
      // It may have come since the adapter was set up.
      guard await looksFree() else { return }
      // The kernel asks meters for their identity keys only after it was given some, or none.
      try await client.perform(.loadIdentityKeys(kept.identities), index: index, adapter: name)
      try await client.perform(.loadLongTermKeys(kept.bonds.flatMap(\.keys)), index: index, adapter: name)
    } catch {
      throw BluetoothError(kernel: error, otherwise: .storeFailure)
    }
  }

  /// Tells the kernel of this adapter by which keys meters are recognised, those of other adapters' bonds among them.
  func loadIdentities() async {
    guard let kept = try? await keeper.bonds(of: address), await looksFree() else { return }
    _ = try? await client.perform(.loadIdentityKeys(kept.identities), index: index, adapter: name)
  }

  /// Whether bluetoothd does not run: lists that are loaded beside it take the place of its own.
  private func looksFree() async -> Bool { await !BluetoothDaemon().isRunning() }

  /// Forgets the bond with a meter, on disk and in the kernel; the meter keeps its own side.
  public func forget(_ address: BluetoothAddress) async throws(BluetoothError) {
    if keeper.daemon != nil { return try await forgetByDaemon(address) }
    // On disk first: of a bond that only the kernel has forgotten, the next connection would be a pairing.
    try await keeper.forget(address, at: self.address)
    // Whoever asks knows the meter by its address, and not always of which kind that is.
    for kind in BluetoothAddress.Kind.allCases {
      let peer = BluetoothAddress(value: address.value, kind: kind)
      try await dropKernelBond(peer, keepsLink: false)
      state.withLock { state in
        state.bonded.remove(peer)
        state.lostBonds.remove(peer)
        state.droppedBonds.remove(peer)
      }
    }
  }

  /// Takes the key of a lost bond from whoever would encrypt with it, as the kernel does at once for a meter that asks for
  /// security, and bluetoothd by not pairing a second time. The link goes with the key; the store keeps its own until the
  /// meter is paired anew.
  public func dropLostBond(with address: BluetoothAddress) async throws(BluetoothError) -> Bool {
    let isFirst = state.withLock { state in
      state.lostBonds.contains(address) && state.droppedBonds.insert(address).inserted
    }
    guard isFirst else { return false }
    // Before the link goes with the key: nothing has come over it yet, and closing its socket later is what a kernel dies of.
    state.withLock { $0.links.removeValue(forKey: address) }?.close()
    do throws(BluetoothError) {
      if keeper.daemon == nil {
        try await dropKernelBond(address, keepsLink: false)
      } else {
        try await keeper.forget(address, at: self.address)
      }
    } catch {
      state.withLock { _ = $0.droppedBonds.remove(address) }
      throw error
    }
    return true
  }

  private func forgetByDaemon(_ address: BluetoothAddress) async throws(BluetoothError) {
    for kind in BluetoothAddress.Kind.allCases {
      let peer = BluetoothAddress(value: address.value, kind: kind)
      state.withLock { state in
        state.bonded.remove(peer)
        state.lostBonds.remove(peer)
        state.droppedBonds.remove(peer)
      }
      try await keeper.forget(peer, at: self.address)
    }
  }

  func dropKernelBond(_ address: BluetoothAddress, keepsLink: Bool) async throws(BluetoothError) {
    do {
      try await client.perform(.unpair(address, disconnects: !keepsLink), index: index, adapter: name)
    } catch {
      guard error.status != .notPaired, error.status != .invalidParameters else { return }
      throw BluetoothError(kernel: error, otherwise: .storeFailure)
    }
  }

  /// Lets the kernel make bonds while somebody pairs, and at no other time: it would pair by itself where it has no key for a
  /// link that is to be encrypted, and with every meter that asks for it.
  func setBondable(_ isPairing: Bool) async throws(BluetoothError) {
    let isFirstOrLast = state.withLock { state in
      state.pairings += isPairing ? 1 : -1
      return state.pairings == (isPairing ? 1 : 0)
    }
    guard isFirstOrLast else { return }
    do {
      try await client.perform(.setBondable(isPairing), index: index, adapter: name)
    } catch {
      throw BluetoothError(kernel: error, otherwise: .pairingFailure)
    }
  }

  /// Refuses what the kernel asks of a pairing that nobody here has begun.
  func refuseStranger(_ event: ManagementEvent) {
    let refusal: (peer: BluetoothAddress, answer: ManagementCommand)
    switch event {
    case .passkeyRequest(let peer): refusal = (peer, .passkey(peer, nil))
    case .confirmationRequest(let peer, _): refusal = (peer, .confirm(peer, false))
    default: return
    }
    // Beside bluetoothd its agents answer.
    guard keeper.daemon == nil, !state.withLock({ $0.pairing.contains(refusal.peer) }) else { return }
    Task { [client, index, name] in
      // A pairing that has ended meanwhile needs no answer.
      _ = try? await client.perform(refusal.answer, index: index, adapter: name)
    }
  }

  /// Why a bond that a pairing has made must not be kept: a device tells in the pairing who it is, and nobody proves it.
  ///
  /// - Parameters:
  ///   - peer: Who the device says it is.
  ///   - address: Under which address it was paired.
  /// - Returns: Nil when nothing speaks against it.
  func objection(
    to bond: KernelBond, of peer: BluetoothAddress, at address: BluetoothAddress
  ) async throws(BluetoothError) -> String? {
    let kept = try await keeper.protection(of: peer, at: self.address)
    if peer != address, kept != nil || !address.isPrivate {
      return "\(address) claims to be \(peer); if it is, forget that meter first, and pair again"
    }
    if kept == .authenticated, !bond.isAuthenticated {
      return "\(address) pairs with less protection than before; forget the meter first, and pair again"
    }
    return nil
  }
}
