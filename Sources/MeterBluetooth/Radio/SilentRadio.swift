import BluetoothWire

/// What stands for the radio while no turn has given one: it hears nobody and reaches nobody.
struct SilentRadio: Radio {
  private static let error = BluetoothError(.bluetoothOff, "there is no radio")

  func advertisements() -> AsyncThrowingStream<AdvertisingReport, any Error> {
    AsyncThrowingStream { throw Self.error }
  }
  func connect(to address: BluetoothAddress) async throws(BluetoothError) -> any ATTBearer { throw Self.error }
  func isPaired(with address: BluetoothAddress) async -> Bool { false }
  func pair(
    with address: BluetoothAddress, asking person: PairingPerson
  ) async throws(BluetoothError) -> PairedLink { throw Self.error }
  // What is only heard has no link.
  func security(of address: BluetoothAddress) async -> UInt8 { 1 }
  func forget(_ address: BluetoothAddress) async throws(BluetoothError) { throw Self.error }
}
