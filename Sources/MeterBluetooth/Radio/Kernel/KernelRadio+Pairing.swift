public import BluetoothWire
import HostPrimitives
import KernelBluetooth
import Synchronization

extension KernelRadio {
  /// Two questions at most, each with the Security Manager's 30 seconds (Core Specification, Vol 3 Part H 3.4).
  private static let pairingPatience = Duration.seconds(70)
  /// How long the kernel has to tell the end of a pairing that was given up.
  private static let patienceForEnd = Duration.seconds(5)
  /// Longer than all of that: what the kernel never answers must not stay.
  private static let kernelPatience = Duration.seconds(80)

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
      state.withLock { _ = $0.droppedBonds.remove(address) }
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
      if let reason = try await objection(to: bond, of: peer, at: address) {
        // The kernel has taken the new keys, in place of those that are kept.
        try await dropKernelBond(peer, keepsLink: false)
        try await loadBonds()
        throw BluetoothError(.pairingFailure, reason)
      }
      do throws(BluetoothError) { try await keeper.keep(bond, at: self.address) } catch {
        // A bond that only the kernel has would be gone after a restart, and the meter would be told otherwise until then.
        try? await dropKernelBond(peer, keepsLink: false)
        throw error
      }
      state.withLock { state in
        state.lostBonds.remove(address)
        state.droppedBonds.remove(address)
        state.bonded.insert(peer)
      }
      await onBond()
      return PairedLink(level: level(of: address).rawValue, identity: peer)
    case .notBonded: break
    case .failed(let failure): throw BluetoothError(pairing: failure, with: address)
    }
    return PairedLink(level: level(of: address).rawValue, identity: address, isBonded: false)
  }

  /// Pairs on an adapter that bluetoothd runs: it does so on the link that this host's socket holds.
  private func pair(
    with address: BluetoothAddress, by daemon: BluetoothDaemon, asking person: PairingPerson
  ) async throws(BluetoothError) -> PairedLink {
    let asked = DaemonPairingPerson(passkey: person.passkey, confirms: person.confirms, show: person.show)
    do {
      switch try await daemon.pair(with: address, at: name, asking: asked) {
      case .bonded(let identity):
        // Where there are several adapters, this one has to be known for the meter's.
        state.withLock { state in
          state.bonded.insert(identity)
          state.lostBonds.remove(address)
          state.droppedBonds.remove(address)
        }
        return PairedLink(level: level(of: address).rawValue, identity: identity)
      case .notBonded:
        return PairedLink(level: level(of: address).rawValue, identity: address, isBonded: false)
      case .failed(let failure): throw BluetoothError(pairing: failure, with: address)
      }
    } catch {
      throw BluetoothError(kernel: error, otherwise: .pairingFailure)
    }
  }

  private func outcome(
    of address: BluetoothAddress, asking person: PairingPerson
  ) async -> PairingMachine.Outcome {
    guard !Task.isCancelled else { return .failed(.cancelled) }
    let (inputs, post) = AsyncStream<PairingMachine.Input>.makeStream()
    let stopWatching = watch { post.yield(.event($0)) }
    defer { stopWatching() }
    // In a task of its own: a cancelled one would read no inputs any more, not even that it is to give up.
    let run = Task { await self.run(PairingMachine(with: address), inputs, post, person) }
    return await withTaskCancellationHandler {
      await run.value
    } onCancel: {
      post.yield(.cancel)
    }
  }

  private func run(
    _ machine: PairingMachine, _ inputs: AsyncStream<PairingMachine.Input>,
    _ post: AsyncStream<PairingMachine.Input>.Continuation, _ person: PairingPerson
  ) async -> PairingMachine.Outcome {
    // What is asked of the kernel is in tasks outside the group, which would wait for an answer that may not come.
    begin(machine.peer, post)
    return await withDiscardingTaskGroup(returning: PairingMachine.Outcome.self) { group in
      group.addTask {
        if await self.clock.elapsed(Self.pairingPatience) { post.yield(.timeout) }
      }
      defer { group.cancelAll() }
      var machine = machine
      for await input in inputs {
        if input == .cancel || input == .timeout {
          group.addTask { [peer = machine.peer] in await self.giveUp(peer, post) }
        }
        for command in machine.handle(input) {
          switch command {
          case .askPasskey: group.addTask { post.yield(.answer(.passkey(await person.passkey()))) }
          case .askConfirmation(let number):
            group.addTask { post.yield(.answer(.confirmation(await person.confirms(number)))) }
          case .show(let number): group.addTask { await person.show(number) }
          case .send(let answer):
            // A refusal of the answer shows as the end of the pairing.
            Task { _ = try? await self.client.perform(answer, index: self.index, adapter: self.name) }
          case .end(let outcome): return outcome
          }
        }
      }
      return .failed(.cancelled)
    }
  }

  /// Has the kernel pair; it answers when the pairing is over.
  private func begin(_ peer: BluetoothAddress, _ post: AsyncStream<PairingMachine.Input>.Continuation) {
    Task {
      var status = ManagementStatus.success
      do throws(KernelBluetoothError) {
        try await client.perform(
          .pair(peer, .keyboardDisplay), index: index, adapter: name, patience: Self.kernelPatience)
      } catch { status = error.status ?? .failed }
      post.yield(.ended(status))
    }
  }

  /// Ends a pairing that was given up although the kernel does not say that it is over.
  private func giveUp(_ peer: BluetoothAddress, _ post: AsyncStream<PairingMachine.Input>.Continuation) async {
    guard await clock.elapsed(Self.patienceForEnd) else { return }
    // The first one may have come before the kernel had begun.
    _ = try? await client.perform(.cancelPairing(peer), index: index, adapter: name, patience: .seconds(1))
    post.yield(.ended(.cancelled))
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
