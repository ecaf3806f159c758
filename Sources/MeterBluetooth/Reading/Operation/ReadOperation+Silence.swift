import BluetoothWire
import DriverContract
import HostPrimitives
import MeterCore
import MeterDrivers

extension ReadOperation {
  /// How long a meter may say nothing at all before it is taken for one that answers nobody on a link in the clear. Those that can
  /// answer do within a second; an ATT transaction is given up after thirty (Core Specification, Vol 3 Part F 3.3.3).
  static let silenceBeforePairing = Duration.seconds(8)
  /// How long the answer may take once the link is encrypted; what was asked before is mostly forgotten.
  static let patienceAfterPairing = Duration.seconds(3)

  /// Asks a meter, and pairs with one that says nothing: some do not even refuse before the link is encrypted.
  ///
  /// - Returns: The answer; nil when the link is encrypted now and the question was lost: it has to be asked on the next one.
  func askOrPair<Answer: Sendable>(
    _ client: GATTClient, at address: BluetoothAddress, _ security: LinkSecurity,
    _ question: @escaping @Sendable () async throws(BluetoothError) -> Answer
  ) async throws(BluetoothError) -> Answer? {
    let outcome = FirstOutcome<Result<Answer?, BluetoothError>>()
    let heard = await client.att.receivedPDUs
    let asking = Task {
      do throws(BluetoothError) { outcome.settle(.success(try await question())) } catch {
        outcome.settle(.failure(error))
      }
    }
    let pairing = Task { [clock = surroundings.clock] in
      try await clock.sleep(for: Self.silenceBeforePairing)
      guard await client.att.receivedPDUs == heard, await mayPairUnasked(security) else { return }
      do throws(BluetoothError) { _ = try await security.pair() } catch { return _ = outcome.settle(.failure(error)) }
      // The next read does not wait for it.
      try? surroundings.store.setCached([1], Self.silentInTheClear, address: address.description)
      try await clock.sleep(for: Self.patienceAfterPairing)
      if await client.att.receivedPDUs == heard { outcome.settle(.success(nil)) }
    }
    defer {
      asking.cancel()
      pairing.cancel()
    }
    do throws(BluetoothError) {
      return try await outcome.value.get()
    } catch {
      guard error.code == .readingTimeout, await client.att.receivedPDUs == heard else { throw error }
      throw silent(cause: error)
    }
  }

  /// The meter was connected and has said nothing.
  func silent(cause: BluetoothError?) -> BluetoothError {
    BluetoothError(
      .readingTimeout,
      "\(plan.peripheral.name) says nothing at all on this link: some meters answer only hosts that they are paired with. Pair it "
        + "with `meterhost pair \(plan.peripheral.id)`, or keep it switched on and close by and read it again",
      cause: cause)
  }

  /// Under what it is kept that a meter answers nobody before the link is encrypted.
  private static let silentInTheClear = "silent-in-the-clear"

  /// Whether a bonded meter is known to answer nobody before the link is encrypted.
  func isSilentInTheClear(_ address: BluetoothAddress, _ security: LinkSecurity) async -> Bool {
    guard await security.isBonded else { return false }
    return ((try? surroundings.store.cached(Self.silentInTheClear, address: address.description)) ?? nil) != nil
  }

  private func mayPairUnasked(_ security: LinkSecurity) async -> Bool {
    if options.pairs || purpose == .pair { return true }
    return await security.isBonded
  }
}
