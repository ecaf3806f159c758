import BluetoothWire
import MeterDrivers

extension ReadOperation {
  /// Waits for a meter that fits the peripheral's rules and the allow-list.
  func firstAdvertisement(
    ignoring others: Set<BluetoothAddress>, until deadline: ContinuousClock.Instant
  ) async throws(BluetoothError) -> AdvertisingReport {
    let allowed = try allowedAddresses()
    let (stream, plan) = (surroundings.radio.advertisements(), plan)
    let search = Task { () async throws -> AdvertisingReport? in
      for try await report in stream where plan.mayBe(report) && !others.contains(report.address) {
        if let allowed, !allowed.contains(report.address.description) { continue }
        return report
      }
      return nil
    }
    let timeout = Task {
      try await Task.sleep(until: deadline, clock: .continuous)
      search.cancel()
    }
    defer { timeout.cancel() }
    let found: AdvertisingReport? = try await cancellation.during({ search.cancel() }) {
      () async throws(BluetoothError) in
      do {
        return try await search.value
      } catch let error as BluetoothError {
        throw error
      } catch {
        return nil
      }
    }
    try checkCancellation()
    if let found { return found }
    guard others.isEmpty else {
      let seen = others.map(\.description).sorted().joined(separator: ", ")
      throw BluetoothError(
        .connectionTimeout,
        "what was heard within \(options.connectionTimeout) is another meter than \(plan.peripheral.name), by its own "
          + "Device Information (\(seen)); choose the peripheral that fits")
    }
    throw nobodyHeard
  }

  /// The allow-list as addresses are written; nil allows any meter.
  ///
  /// - Throws: ``BluetoothError`` with code `connectionTimeout` when it allows none.
  func allowedAddresses() throws(BluetoothError) -> Set<String>? {
    let allowed = options.allowList.map { Set($0.map { $0.uppercased() }) }
    guard allowed?.isEmpty != true else {
      throw BluetoothError(.connectionTimeout, "the allow-list is empty: no meter may be read; add its address to it")
    }
    return allowed
  }

  var nobodyHeard: BluetoothError {
    BluetoothError(
      .connectionTimeout,
      "no \(plan.peripheral.name) was heard within \(options.connectionTimeout). \(plan.peripheral.instructions)")
  }

  /// Connects within the connection's time limit, or until the caller gives up. A link that comes later is dropped.
  func connect(
    to address: BluetoothAddress, until deadline: ContinuousClock.Instant
  ) async throws(BluetoothError) -> any ATTBearer {
    try checkCancellation()
    let (outcome, radio) = (FirstOutcome<Result<any ATTBearer, BluetoothError>>(), surroundings.radio)
    let attempt = Task {
      do throws(BluetoothError) {
        let bearer = try await radio.connect(to: address)
        if !outcome.settle(.success(bearer)) { bearer.close() }
      } catch {
        outcome.settle(.failure(error))
      }
    }
    let timeout = Task { [limit = options.connectionTimeout] in
      try await Task.sleep(until: deadline, clock: .continuous)
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

  /// - Throws: ``BluetoothError`` with code `cancelled` when the caller has given up.
  func checkCancellation() throws(BluetoothError) {
    if cancellation.isCancelled { throw Self.givenUp }
  }

  static var givenUp: BluetoothError { BluetoothError(.cancelled, "the read was given up") }
}
