import BluetoothWire

@testable import MeterBluetooth

/// A radio that changes some of what another one does.
protocol WrappingRadio: Radio {
  associatedtype Base: Radio
  var base: Base { get }
}

extension WrappingRadio {
  func advertisements() -> AsyncThrowingStream<AdvertisingReport, any Error> { base.advertisements() }
  func connect(to address: BluetoothAddress) async throws(BluetoothError) -> any ATTBearer {
    try await base.connect(to: address)
  }
  func isPaired(with address: BluetoothAddress) async -> Bool { await base.isPaired(with: address) }
  func hasLostBond(with address: BluetoothAddress) async -> Bool { await base.hasLostBond(with: address) }
  func dropLostBond(with address: BluetoothAddress) async throws(BluetoothError) -> Bool {
    try await base.dropLostBond(with: address)
  }
  func pair(
    with address: BluetoothAddress, asking person: PairingPerson
  ) async throws(BluetoothError) -> PairedLink { try await base.pair(with: address, asking: person) }
  func security(of address: BluetoothAddress) async -> UInt8 { await base.security(of: address) }
  func forget(_ address: BluetoothAddress) async throws(BluetoothError) { try await base.forget(address) }
}
