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
  /// Pairs with the meter whose link is up, or raises the link's security with the bond that exists.
  ///
  /// - Parameter passkey: Asks the person for the six digits that the meter shows; nil when they refuse.
  /// - Returns: The link's security level, `MH_SECURITY_*`.
  /// - Throws: ``BluetoothError`` with code `pairingFailure` or `cancelled`.
  func pair(
    with address: BluetoothAddress, passkey: @Sendable () async -> UInt32?
  ) async throws(BluetoothError) -> UInt8
  /// The security level of the meter's link, `MH_SECURITY_*`.
  func security(of address: BluetoothAddress) async -> UInt8
  /// Forgets the bond with a meter.
  ///
  /// - Throws: ``BluetoothError`` with code `storeFailure`.
  func forget(_ address: BluetoothAddress) async throws(BluetoothError)
}

/// Where a radio keeps its bonds, when nothing beneath it does.
public protocol BondKeeper: Sendable {
  /// The bond with a meter; nil when there is none.
  func bond(with address: BluetoothAddress) throws -> [UInt8]?
  /// Keeps a bond; it is on disk when this returns. Nil forgets it.
  func keep(_ bond: [UInt8]?, with address: BluetoothAddress) throws
}
