public import BluetoothWire
import KernelBluetooth
import Synchronization

extension KernelRadio {
  /// Two questions at most, each with the Security Manager's 30 seconds (Core Specification, Vol 3 Part H 3.4).
  private static let pairingPatience = Duration.seconds(70)

  /// Pairs with the meter whose link is up.
  ///
  /// - Throws: ``BluetoothError`` with code `pairingFailure`, `cancelled` or `storeFailure`.
  public func pair(
    with address: BluetoothAddress, asking person: PairingPerson
  ) async throws(BluetoothError) -> PairedLink {
    guard state.withLock({ $0.links[address] }) != nil else {
      throw BluetoothError(.pairingFailure, "there is no connection to \(address) to pair on")
    }
    let before = level(of: address)
    guard before == .none else { return PairedLink(level: before.rawValue, identity: address) }
    if let daemon = keeper.daemon { return try await pair(with: address, by: daemon, asking: person) }
    // The kernel refuses to pair where it holds a key, and the meter has lost its own.
    if state.withLock({ $0.lostBonds.contains(address) }) { try await dropKernelBond(address, keepsLink: true) }
    switch await outcome(of: address, asking: person) {
    case .bonded(let keys, let identity):
      guard let bond = KernelBond(keys: keys, identity: identity), let peer = bond.peer else { break }
      try await keeper.keep(bond, at: self.address)
      state.withLock { state in
        state.lostBonds.remove(address)
        state.bonded.insert(peer)
      }
      return PairedLink(level: level(of: address).rawValue, identity: peer)
    case .notBonded: break
    case .failed(let failure): throw BluetoothError(pairing: failure, with: address)
    }
    return PairedLink(level: level(of: address).rawValue, identity: address)
  }

  /// Forgets the bond with a meter, in the kernel and on disk; the meter keeps its own side.
  public func forget(_ address: BluetoothAddress) async throws(BluetoothError) {
    if keeper.daemon != nil { return try await forgetByDaemon(address) }
    // Whoever asks knows the meter by its address, and not always of which kind that is.
    for kind in BluetoothAddress.Kind.allCases {
      let peer = BluetoothAddress(value: address.value, kind: kind)
      try await dropKernelBond(peer, keepsLink: false)
      state.withLock { state in
        state.bonded.remove(peer)
        state.lostBonds.remove(peer)
      }
    }
    try await keeper.forget(address, at: self.address)
  }

  private func forgetByDaemon(_ address: BluetoothAddress) async throws(BluetoothError) {
    for kind in BluetoothAddress.Kind.allCases {
      let peer = BluetoothAddress(value: address.value, kind: kind)
      state.withLock { _ = $0.lostBonds.remove(peer) }
      try await keeper.forget(peer, at: self.address)
    }
  }

  /// Pairs on an adapter that bluetoothd runs: it does so on the link that this host's socket holds.
  private func pair(
    with address: BluetoothAddress, by daemon: BluetoothDaemon, asking person: PairingPerson
  ) async throws(BluetoothError) -> PairedLink {
    let asked = DaemonPairingPerson(passkey: person.passkey, confirms: person.confirms, show: person.show)
    do {
      switch try await daemon.pair(with: address, at: name, asking: asked) {
      case .bonded(let identity): return PairedLink(level: level(of: address).rawValue, identity: identity)
      case .notBonded: return PairedLink(level: level(of: address).rawValue, identity: address)
      case .failed(let failure): throw BluetoothError(pairing: failure, with: address)
      }
    } catch {
      throw BluetoothError(kernel: error, otherwise: .pairingFailure)
    }
  }

  private func dropKernelBond(_ address: BluetoothAddress, keepsLink: Bool) async throws(BluetoothError) {
    do {
      try await client.perform(.unpair(address, disconnects: !keepsLink), index: index, adapter: name)
    } catch {
      guard error.status != .notPaired, error.status != .invalidParameters else { return }
      throw BluetoothError(kernel: error, otherwise: .storeFailure)
    }
  }

  private func outcome(
    of address: BluetoothAddress, asking person: PairingPerson
  ) async -> PairingMachine.Outcome {
    let (inputs, post) = AsyncStream<PairingMachine.Input>.makeStream()
    let stopWatching = watch { post.yield(.event($0)) }
    defer { stopWatching() }
    var machine = PairingMachine(with: address)
    return await withTaskCancellationHandler {
      await withDiscardingTaskGroup(returning: PairingMachine.Outcome.self) { group in
        group.addTask { [client, index, name] in
          var status = ManagementStatus.success
          do throws(KernelBluetoothError) {
            // The kernel answers when the pairing is over.
            try await client.perform(
              .pair(address, .keyboardDisplay), index: index, adapter: name, patience: nil)
          } catch { status = error.status ?? .failed }
          post.yield(.ended(status))
        }
        group.addTask {
          if (try? await Task.sleep(for: Self.pairingPatience)) != nil { post.yield(.timeout) }
        }
        defer { group.cancelAll() }
        for await input in inputs {
          for command in machine.handle(input) {
            switch command {
            case .askPasskey: group.addTask { post.yield(.answer(.passkey(await person.passkey()))) }
            case .askConfirmation(let number):
              group.addTask { post.yield(.answer(.confirmation(await person.confirms(number)))) }
            case .show(let number): group.addTask { await person.show(number) }
            case .send(let answer):
              group.addTask { [client, index, name] in
                // A refusal of the answer shows as the end of the pairing.
                _ = try? await client.perform(answer, index: index, adapter: name)
              }
            case .end(let outcome): return outcome
            }
          }
        }
        return .failed(.cancelled)
      }
    } onCancel: {
      post.yield(.cancel)
    }
  }
}

extension BluetoothError {
  init(pairing failure: PairingMachine.Failure, with address: BluetoothAddress) {
    switch failure {
    case .refused, .cancelled: self.init(.cancelled, "pairing was given up")
    case .authentication: self.init(pairing: .authenticationFailed)
    case .notPairable: self.init(pairing: .notInPairingMode)
    case .disconnected, .timeout: self.init(pairing: .noAnswer)
    case .alreadyPaired:
      self.init(
        .pairingFailure, "the kernel holds a bond with \(address) already; forget the meter and pair again")
    case .status(let status): self.init(pairing: .refused, detail: status.words)
    }
  }
}
