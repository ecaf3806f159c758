package import GatewayAPI
import MeterBluetooth
import MeterCore
import MeterDrivers

extension PassiveShowRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) throws -> PassiveDescription {
    try PassiveDescription(owner.store.passivePeripherals(), owner)
  }
}

extension PassiveSetRequest: HandledRequest {
  /// - Throws: `BluetoothError` with code `unknownPeripheral`, `StoreError`.
  package func perform(on owner: GatewayOwner) async throws -> PassiveDescription {
    try await owner.choosePassive(peripherals)
    if !peripherals.isEmpty { _ = try owner.actsWithoutSession("what is read passively was chosen") }
    return try PassiveDescription(owner.store.passivePeripherals(), owner)
  }
}

extension PassiveDescription {
  private static func problem(_ peripherals: [UInt32], _ owner: GatewayOwner) throws -> String? {
    guard !peripherals.isEmpty else { return nil }
    if try owner.store.currentSession().user == nil { return BluetoothError.noSessionUser.message }
    return owner.passiveProblem
  }

  fileprivate init(_ peripherals: [UInt32], _ owner: GatewayOwner) throws {
    let registry = owner.gateway.registry
    self.init(
      peripherals: peripherals.map { id in
        let entry = registry.peripheral(id: id)
        return Entry(
          peripheral: id, name: entry?.name ?? "not in the catalogue any more",
          passive: entry?.passive.rawValue ?? Peripheral.PassiveReading.no.rawValue)
      }, isRunning: owner.deliversByItself, problem: try Self.problem(peripherals, owner))
  }
}
