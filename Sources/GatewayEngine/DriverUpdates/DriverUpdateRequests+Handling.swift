package import GatewayAPI
import MeterCore

extension DriverSourceListRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) throws -> [DriverSourceDescription] { try owner.updates.sources() }
}

extension DriverSourceAddRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `driver_source` or `driver_source_limit`; `StoreError`.
  package func perform(on owner: GatewayOwner) throws -> [DriverSourceDescription] {
    try owner.updates.add(source, takesBeta: takesBeta)
    return try owner.updates.sources()
  }
}

extension DriverSourceRemoveRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `unknown_driver_source`; `StoreError`.
  package func perform(on owner: GatewayOwner) throws -> [DriverSourceDescription] {
    try owner.updates.remove(source)
    return try owner.updates.sources()
  }
}

extension DriverUpdateCheckRequest: HandledRequest {
  /// - Throws: `PackageError` when trust list or drop-in folder cannot be read; `StoreError`.
  package func perform(on owner: GatewayOwner) async throws -> DriverUpdateCheck {
    try await owner.updates.check(
      owner.gateway.locations.registrySources, now: MeterStore.wallClockMicroseconds)
  }
}

extension DriverUpdateAutoRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) throws -> Bool {
    guard let automatic else { return try owner.updates.state().isAutomatic }
    try owner.updates.change { $0.isAutomatic = automatic }
    return automatic
  }
}

extension DriverUpdateNoteRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) throws -> Bool {
    let update = HostEvent.DriverUpdate(package: package, version: version, before: before, isAutomatic: false)
    try owner.store.log(.driverUpdated(update))
    return true
  }
}
