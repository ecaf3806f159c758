import BluetoothWire
import DriverContract
import HostPrimitives
import MeterCore
import MeterDrivers

extension ReadOperation {
  /// The security of a link of this read.
  func security(of address: BluetoothAddress) -> LinkSecurity {
    LinkSecurity(
      radio: surroundings.radio, address: address,
      mayPair: { () async throws(BluetoothError) in try await checkMayPair(with: address) },
      clock: surroundings.clock, person: person, isGivenUp: { [cancellation] in cancellation.isCancelled })
  }

  /// The person at the gateway, as a partner of a pairing.
  private var person: PairingPerson {
    PairingPerson {
      await passkey()
    } confirms: { number in
      await confirms(number)
    } show: { number in
      sink.yield(.passkeyToEnter(number))
    }
  }

  /// Asks for the passkey that the meter shows (Core Specification, Vol 3 Part H 2.3.5.3: six digits).
  private func passkey() async -> UInt32? {
    let prompt = DriverPrompt(
      kind: .passkey, isSecret: false, minimumLength: 6, maximumLength: 6,
      text: "Enter the six digits that the meter shows, within half a minute.")
    let reply = await desk.ask(prompt) { text throws(AnswerProblem) in try PromptAnswer.bytes(of: text, for: prompt) }
    guard case .answered(let digits) = reply else { return nil }
    return UInt32(String(decoding: digits, as: UTF8.self))
  }

  /// Asks whether the meter shows the same number (Core Specification, Vol 3 Part H 2.3.5.6.2).
  private func confirms(_ number: UInt32) async -> Bool {
    let prompt = DriverPrompt(
      kind: .choice, isSecret: false, minimumLength: 1, maximumLength: 1,
      text: "Does the meter show \(PasskeyText.digits(number))?\nyes, the same number\nno, another number or none")
    let reply = await desk.ask(prompt) { text throws(AnswerProblem) in try PromptAnswer.bytes(of: text, for: prompt) }
    return reply == .answered([1])
  }

  /// A read pairs only when it is asked to.
  private func checkMayPair(with address: BluetoothAddress) async throws(BluetoothError) {
    guard !options.pairs, purpose != .pair else { return }
    let (name, cure) = (plan.peripheral.name, "with `meterhost pair \(plan.peripheral.id)`")
    guard await !surroundings.radio.hasLostBond(with: address) else {
      throw BluetoothError(
        .notPaired,
        "\(name) has forgotten this gateway, as after a reset or a change of batteries; pair it again \(cure). "
          + plan.peripheral.pairingInstructions, cause: PairingFailure.bondLost)
    }
    guard try !isKnownBonded(at: address) else { throw bondMissing }
    throw BluetoothError(.notPaired, "\(name) must be paired first, \(cure). " + plan.peripheral.pairingInstructions)
  }

  /// A meter with which there was a bond is there without it: on another adapter, after the bond was lost on either side, or
  /// it is not that meter at all.
  private var bondMissing: BluetoothError {
    BluetoothError(
      .notPaired,
      "\(plan.peripheral.name) was paired with this gateway, and the bond does not hold here any more: it is not read in "
        + "the clear. Pair it again with `meterhost pair \(plan.peripheral.id)`, or forget it with `meterhost meters forget`",
      cause: PairingFailure.bondLost)
  }

  /// Whether a bond was made with the meter that is known at an address.
  private func isKnownBonded(at address: BluetoothAddress) throws(BluetoothError) -> Bool {
    try inStore { store throws(StoreError) in try store.meter(at: address) }?.isBonded ?? false
  }

  private func inStore<Value>(
    _ body: (MeterStore) throws(StoreError) -> Value
  ) throws(BluetoothError) -> Value {
    do { return try body(surroundings.store) } catch {
      throw BluetoothError(.storeFailure, "the state folder cannot be read: \(error.message)", cause: error)
    }
  }

  /// Pairs before the meter is looked at, when the catalogue says that it will want that, or when there was a bond with it:
  /// a meter that was paired is never read in the clear, whatever it lets itself be asked.
  func pairIfRequired(_ security: LinkSecurity, at address: BluetoothAddress) async throws(BluetoothError) {
    guard await !security.isBonded else { return }
    let hasLostBond = await surroundings.radio.hasLostBond(with: address)
    let isKnown = try isKnownBonded(at: address)
    guard plan.peripheral.requiresPairing || hasLostBond || isKnown else { return }
    try await pair(security)
  }

  /// As ``pairIfRequired(_:at:)``, now that the meter has said who it is: it may have another address than when it was paired.
  func pairIfKnown(_ meter: MeterDescription, _ security: LinkSecurity) async throws(BluetoothError) {
    guard await !security.isBonded else { return }
    let uuid = meter.identity.peripheralUUID
    let known = try inStore { store throws(StoreError) in try store.meter(uuid) }
    guard let known, known.isBonded else { return }
    guard options.pairs || purpose == .pair else { throw bondMissing }
    try await pair(security)
  }

  /// Clears the way for a pairing that was asked for, where what is left of a lost bond stands in it.
  func dropsLostBond(with address: BluetoothAddress) async throws(BluetoothError) -> Bool {
    guard options.pairs || purpose == .pair, await surroundings.radio.hasLostBond(with: address) else { return false }
    return try await surroundings.radio.dropLostBond(with: address)
  }

  private func pair(_ security: LinkSecurity) async throws(BluetoothError) {
    do throws(BluetoothError) {
      _ = try await security.pair()
    } catch {
      try checkCancellation()
      throw error
    }
  }

  /// The meter is known as paired from now on.
  ///
  /// - Parameter hasBonded: Whether the radio has made a bond; a meter may be paired without, by a key of its own alone. A
  ///   bond that is not in the state folder is with bluetoothd.
  func remember(
    _ meter: MeterDescription, at address: BluetoothAddress, hasBonded: Bool
  ) throws(BluetoothError) {
    let sighting = MeterSighting(meter, of: plan, at: address, isRead: false)
    do throws(StoreError) {
      let before = try surroundings.store.meter(meter.identity.peripheralUUID)?.pairing?.bond
      try surroundings.store.notePairing(sighting, bond: hasBonded ? .bluetoothd : before ?? .unknown)
    } catch {
      throw BluetoothError(.storeFailure, "the pairing could not be put on disk: \(error.message)", cause: error)
    }
    sink.yield(.paired(PairedMeter(meter, peripheral: plan.peripheral.id, at: surroundings.clock.unixMicroseconds)))
  }

  /// Whether a key that was entered in this session may be another than the meter's: the meter refuses it, or a pairing
  /// ended before the meter had accepted it.
  func keysAreDoubtful(after outcome: SessionMachine.Outcome) -> Bool {
    switch outcome {
    case .failed(.keyWrong, _, _): true
    case .finished: false
    default: purpose == .pair
    }
  }

  /// What was there before this session is put back.
  func putKeysBack(_ keys: SessionKeys) throws(BluetoothError) {
    do { try keys.restore() } catch {
      throw BluetoothError(
        .storeFailure,
        "the key that was entered is not the meter's, or was not tried, and could not be removed: "
          + error.message, cause: error)
    }
  }
}

extension StoredMeter {
  /// Whether the radio has shared a key with it; a meter may be paired without.
  fileprivate var isBonded: Bool { pairing.map { $0.bond != .unknown } ?? false }
}

/// A passkey as people read it.
public enum PasskeyText {
  /// Six digits.
  public static func digits(_ number: UInt32) -> String { Int64(number).digits(6) }
}
