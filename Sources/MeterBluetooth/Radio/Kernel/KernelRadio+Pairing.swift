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
    let hadLostBond = state.withLock { $0.lostBonds.contains(address) }
    if hadLostBond { try await dropKernelBond(address, keepsLink: true) }
    do throws(BluetoothError) { return try await pairAlone(with: address, asking: person) } catch {
      // The bond is kept until there is a new one, and the kernel has to know what is kept.
      if hadLostBond { try? await loadBonds() }
      throw error
    }
  }

  private func pairAlone(
    with address: BluetoothAddress, asking person: PairingPerson
  ) async throws(BluetoothError) -> PairedLink {
    guard state.withLock({ $0.pairing.insert(address).inserted }) else {
      throw BluetoothError(.pairingFailure, "\(address) is being paired already; wait until that is over")
    }
    defer { state.withLock { _ = $0.pairing.remove(address) } }
    let outcome: PairingMachine.Outcome
    do throws(BluetoothError) {
      try await setBondable(true)
      outcome = await self.outcome(of: address, asking: person)
    } catch {
      try? await setBondable(false)
      throw error
    }
    // What it cannot take back now it takes back after the next pairing.
    try? await setBondable(false)
    switch outcome {
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
