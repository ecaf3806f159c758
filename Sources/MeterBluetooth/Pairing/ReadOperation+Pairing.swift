import BluetoothWire
import DriverRuntime
import MeterCore
import MeterDrivers

extension ReadOperation {
  /// Asks the person for the passkey that the meter shows (Core Specification, Vol 3 Part H 2.3.5.3: six digits).
  func passkey() async -> UInt32? {
    let prompt = DriverPrompt(
      kind: .passkey, isSecret: false, minimumLength: 6, maximumLength: 6,
      text: "Enter the six digits that the meter shows.")
    let reply = await desk.ask(prompt) { text throws(AnswerProblem) in try PromptAnswer.bytes(of: text, for: prompt) }
    guard case .answered(let digits) = reply else { return nil }
    return UInt32(String(decoding: digits, as: UTF8.self))
  }

  /// A read pairs only when it is asked to (B3).
  func checkMayPair() throws(BluetoothError) {
    guard !options.pairs, purpose != .pair else { return }
    throw BluetoothError(
      .notPaired,
      "\(plan.peripheral.name) must be paired first, with `meterhost pair \(plan.peripheral.id)`. "
        + plan.peripheral.pairingInstructions)
  }

  /// Pairs because the driver asks for it, or raises the link's security with the bond that exists.
  ///
  /// - Returns: The link's level.
  func pair(with address: BluetoothAddress, as meter: MeterDescription) async throws(BluetoothError) -> UInt8 {
    let isPaired = await surroundings.radio.isPaired(with: address)
    if !isPaired { try checkMayPair() }
    let level = try await surroundings.radio.pair(with: address) { await passkey() }
    if !isPaired, purpose != .pair { try remember(meter, at: address) }
    return level
  }

  /// The meter is known as paired from now on.
  func remember(_ meter: MeterDescription, at address: BluetoothAddress) throws(BluetoothError) {
    let sighting = MeterSighting(meter, of: plan, at: address, isRead: false)
    do { try surroundings.store.notePairing(sighting) } catch {
      throw BluetoothError(.storeFailure, "the pairing could not be put on disk: \(error.message)", cause: error)
    }
    sink.yield(.paired(PairedMeter(meter, peripheral: plan.peripheral.id)))
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
