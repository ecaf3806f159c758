package import GatewayAPI
import BluetoothWire
import HostPrimitives
import MeterBluetooth
import MeterCore
import MeterDrivers

extension ScanRequest: HandledConversation {
  /// Performs it.
  ///
  /// - Throws: ``GatewayError`` with code `no_meter_heard` when the time is over and nothing of interest was heard,
  ///   `unknown_peripheral`, `unknown_type`, `driver_unavailable` and `time_limit`; `BluetoothError` of the radio;
  ///   `CancellationError` when the partner gave up before the time was over.
  package func perform(on owner: GatewayOwner, with partner: ControlPartner<ScanTelling>) async throws {
    if let timeout { try TimeLimit.check(timeout) }
    let (registry, store) = (owner.gateway.registry, owner.store)
    let scan = AirScan(registry: registry, filter: try filter(registry))
    let traffic = try await owner.radios.traffic(radio)
    await partner.tell(.listening)
    let heard = try await listen(to: traffic, scan, store, partner)
    let (found, others) = heard.result(paired: try Self.paired(in: store))
    for device in found { await partner.tell(.found(device)) }
    await partner.tell(.over(others: others))
    guard let timeout else { return }
    if partner.patience.isOver { throw CancellationError() }
    if found.isEmpty { throw nobodyHeard(within: timeout, others) }
  }

  private static func paired(in store: MeterStore) throws(StoreError) -> Set<String> {
    Set(try PairedMeter.all(in: store).map(\.address))
  }

  private func filter(_ registry: Registry) throws(GatewayError) -> AirScan.Filter {
    var filter = AirScan.Filter(showsAll: showsAll, peripheral: peripheral)
    if let type {
      guard let known = PeripheralType(rawValue: type) else {
        throw GatewayError(
          .usage, code: "unknown_type", "there is no type \(type)",
          hint: "one of \(PeripheralType.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      filter.type = known
    }
    guard let peripheral else { return filter }
    guard let entry = registry.peripheral(id: peripheral) else { throw .unknownPeripheral(peripheral, in: registry) }
    guard registry.isMatchable(entry) || registry.isKnownButNotRead(entry), !entry.matchRules.isEmpty else {
      throw GatewayError(
        .unavailable, code: "driver_unavailable",
        "\(entry.name) (\(peripheral)) cannot be recognised: it is disabled, or no driver is installed for it",
        hint: "`meterhost driver why \(peripheral)` says more")
    }
    return filter
  }

  /// Listens until the time is over, the partner gives up, or the radio has no more to say.
  private func listen(
    to traffic: AirTraffic, _ scan: AirScan, _ store: MeterStore, _ partner: ControlPartner<ScanTelling>
  ) async throws -> AirScan {
    let listening = Task { () throws -> AirScan in
      var scan = scan
      do {
        for try await report in traffic.advertisements() {
          let news = try scan.hear(report) { try Self.paired(in: store) }
          if let news { await partner.tell(.heard(news)) }
        }
      } catch is CancellationError {
        // What was heard until now is the result.
      }
      return scan
    }
    let clock = timeout.map { limit in
      Task {
        try await traffic.clock.sleep(for: .seconds(limit))
        listening.cancel()
      }
    }
    defer { clock?.cancel() }
    return try await partner.patience.during {
      listening.cancel()
    } _: {
      try await withTaskCancellationHandler {
        try await listening.value
      } onCancel: {
        listening.cancel()
      }
    }
  }

  private func nobodyHeard(within timeout: Double, _ others: Int) -> GatewayError {
    let wanted = peripheral.map { "no meter that may be \($0)" } ?? type.map { "no meter of type \($0)" } ?? "no meter"
    let devices = others == 1 ? "1 other device was heard" : "\(others) other devices were heard"
    return GatewayError(
      .temporary, code: "no_meter_heard",
      "\(wanted) was heard within \(Duration.seconds(timeout))" + (others == 0 ? "" : "; \(devices)"),
      hint: "wake the meter up in its transfer mode and bring it close, or listen for longer with --timeout"
        + (others == 0 ? "" : "; --all shows every device"))
  }
}
