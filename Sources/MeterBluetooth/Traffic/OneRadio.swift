import BluetoothWire

/// A radio that is always there, as a source of radios.
final class OneRadio: RadioSource {
  private let radio: any NamedRadio

  init(_ radio: any Radio) { self.radio = radio as? any NamedRadio ?? UnnamedRadio(radio) }

  func radios() -> AsyncStream<[any NamedRadio]> {
    AsyncStream { continuation in continuation.yield([radio]) }
  }

  var problem: BluetoothError { BluetoothError(.bluetoothOff, "there is no radio") }
}

/// A radio that has no name of its own.
private final class UnnamedRadio: NamedRadio {
  let name = "radio"
  private let base: any Radio

  init(_ base: any Radio) { self.base = base }

  func advertisements() -> AsyncThrowingStream<AdvertisingReport, any Error> { base.advertisements() }
  func connect(to address: BluetoothAddress) async throws(BluetoothError) -> any ATTBearer {
    try await base.connect(to: address)
  }
  func isPaired(with address: BluetoothAddress) async -> Bool { await base.isPaired(with: address) }
  func pair(
    with address: BluetoothAddress, asking person: PairingPerson
  ) async throws(BluetoothError) -> PairedLink {
    try await base.pair(with: address, asking: person)
  }
  func security(of address: BluetoothAddress) async -> UInt8 { await base.security(of: address) }
  func forget(_ address: BluetoothAddress) async throws(BluetoothError) { try await base.forget(address) }
}
