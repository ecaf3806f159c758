public import BluetoothWire

/// What the host needs of a radio: the kernel's adapter, or the virtual air.
public protocol Radio: Sendable {
  /// Advertisements and scan responses as they are heard, repeats included, until the task that reads them is cancelled.
  ///
  /// A reader that is slow may miss repeats of the same bytes, never a change: see ``AdvertisementQueue``.
  /// - Throws: ``BluetoothError`` when there is no radio, it is off, or it goes away, or when the air is too full to be read.
  func advertisements() -> AsyncThrowingStream<AdvertisingReport, any Error>
  /// Connects to a meter that advertises.
  ///
  /// - Throws: ``BluetoothError`` with code `connectionFailure`.
  func connect(to address: BluetoothAddress) async throws(BluetoothError) -> any ATTBearer
  /// Whether a bond with this meter exists; a radio without security says yes.
  func isPaired(with address: BluetoothAddress) async -> Bool
  /// Raises the security of a link.
  ///
  /// - Throws: ``BluetoothError`` with code `pairingFailure`.
  func pair(with address: BluetoothAddress) async throws(BluetoothError)
}
