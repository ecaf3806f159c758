import BluetoothWire
import Foundation
import HostPrimitives
import Logging
import MeterCore
import MeterDrivers

extension ReadOperation {
  /// The addresses that the allow-list admits, as they are written; nil: any, as far as an address tells. A meter that is
  /// named by its UUID is looked for where it was heard last, or anywhere when it may have another address by now.
  ///
  /// - Throws: ``BluetoothError`` with code `connectionTimeout` when it allows none.
  func allowedAddresses() throws(BluetoothError) -> Set<String>? {
    guard let listed = options.allowList else { return nil }
    guard !listed.isEmpty else {
      throw BluetoothError(.connectionTimeout, "the allow-list is empty: no meter may be read; add its address to it")
    }
    var addresses: Set<String> = []
    for entry in listed {
      guard let uuid = UUID(uuidString: entry) else {
        addresses.insert(entry.uppercased())
        continue
      }
      guard let known = (try? surroundings.store.meter(uuid)) ?? nil, let address = known.address,
        known.addressKind == .public
      else { return nil }
      addresses.insert(address.uppercased())
    }
    return addresses
  }

  /// Whether the allow-list admits a meter that has said who it is.
  func isAllowed(_ address: BluetoothAddress, _ meter: UUID) -> Bool {
    guard let listed = options.allowList else { return true }
    return listed.contains { $0.uppercased() == address.description || UUID(uuidString: $0) == meter }
  }

  var nobodyHeard: BluetoothError { nobodyHeard(butOthers: [:]) }

  /// Nobody was heard who is what was asked for.
  func nobodyHeard(butOthers others: [BluetoothAddress: String?]) -> BluetoothError {
    guard others.isEmpty else {
      let seen = others.map { address, name in name.map { "\(address): \($0)" } ?? "\(address)" }
        .sorted().joined(separator: "; ")
      return BluetoothError(
        .connectionTimeout,
        "what was heard within \(options.connectionTimeout) is another meter than \(plan.peripheral.name), by its own "
          + "Device Information (\(seen)); choose the peripheral that fits")
    }
    return BluetoothError(
      .connectionTimeout,
      "no \(plan.peripheral.name) was heard within \(options.connectionTimeout). \(plan.peripheral.instructions)")
  }

  /// Connects within the connection's time limit, or until the caller gives up. A link that comes later is dropped.
  func connect(
    to address: BluetoothAddress, until deadline: HostInstant
  ) async throws(BluetoothError) -> any ATTBearer {
    try checkCancellation()
    Self.airLog.debug("connecting", metadata: ["address": "\(address)"])
    let (outcome, radio) = (FirstOutcome<Result<any ATTBearer, BluetoothError>>(), surroundings.radio)
    let attempt = Task {
      do throws(BluetoothError) {
        let bearer = try await radio.connect(to: address)
        if !outcome.settle(.success(bearer)) { bearer.close() }
      } catch {
        Self.airLog.debug("no link: \(error.message)", metadata: ["address": "\(address)"])
        outcome.settle(.failure(error))
      }
    }
    let timeout = Task { [clock = surroundings.clock, limit = options.connectionTimeout] in
      try await clock.sleep(until: deadline)
      outcome.settle(
        .failure(
          BluetoothError(
            .connectionTimeout, "\(address) was heard but took no connection within \(limit); keep it close by")))
    }
    defer {
      attempt.cancel()
      timeout.cancel()
    }
    return try await cancellation.during({ outcome.settle(.failure(Self.givenUp)) }) {
      () async throws(BluetoothError) in try await outcome.value.get()
    }
  }

  /// A meter that changes its address and says nothing else of itself would be another one at each read.
  ///
  /// - Throws: ``BluetoothError`` with code `notPaired`: a bond tells its own address.
  func checkIdentity(of meter: MeterDescription, at address: BluetoothAddress) throws(BluetoothError) {
    guard address.isPrivate, meter.identity.isByAddress else { return }
    throw BluetoothError(
      .notPaired,
      "\(plan.peripheral.name) at \(address) changes its address and has no serial number: its readings could not be told "
        + "from those of another. Pair it with `meterhost pair \(plan.peripheral.id)`")
  }

  /// - Throws: ``BluetoothError`` with code `cancelled` when the caller has given up.
  func checkCancellation() throws(BluetoothError) {
    if cancellation.isCancelled { throw Self.givenUp }
  }

  static var givenUp: BluetoothError { BluetoothError(.cancelled, "the read was given up") }
}
