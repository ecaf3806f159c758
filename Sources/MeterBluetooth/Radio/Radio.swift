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
  /// When a bond with the meter exists, the link is encrypted before this returns: no request that a meter protects goes
  /// over a link in the clear, where it would be refused or, worse, answered (Core Specification, Vol 3 Part C 10.3.1.1).
  /// A meter that has lost its half of the bond is connected all the same and stays in the clear: ``isPaired(with:)`` is
  /// false and ``hasLostBond(with:)`` true from then on.
  ///
  /// - Throws: ``BluetoothError`` with code `connectionFailure`; with `pairingFailure` or `notPaired` and a
  ///   ``PairingFailure`` as cause when the link breaks because it cannot be encrypted.
  func connect(to address: BluetoothAddress) async throws(BluetoothError) -> any ATTBearer
  /// Whether a bond with this meter exists; a radio without security says yes.
  func isPaired(with address: BluetoothAddress) async -> Bool
  /// Whether the meter does not know the bond any more that this radio keeps with it (HCI error 06, PIN or Key Missing), as
  /// far as the last connection has shown.
  func hasLostBond(with address: BluetoothAddress) async -> Bool
  /// Forgets the half of a bond that a meter has lost the other half of, where the meter cannot be paired again beside it.
  ///
  /// - Returns: Whether something was forgotten; the meter has to be connected anew then.
  /// - Throws: ``BluetoothError``.
  func dropLostBond(with address: BluetoothAddress) async throws(BluetoothError) -> Bool
  /// Pairs with the meter whose link is up, or raises the link's security with the bond that exists.
  ///
  /// - Parameter person: Who is asked for what the meter shows.
  /// - Returns: The link's security, and the address by which the meter is known from now on.
  /// - Throws: ``BluetoothError`` with code `pairingFailure` and a ``PairingFailure`` as cause, or `cancelled`.
  func pair(
    with address: BluetoothAddress, asking person: PairingPerson
  ) async throws(BluetoothError) -> PairedLink
  /// The security level of the meter's link, `MH_SECURITY_*`.
  func security(of address: BluetoothAddress) async -> UInt8
  /// Forgets the bond with a meter.
  ///
  /// - Throws: ``BluetoothError`` with code `storeFailure`.
  func forget(_ address: BluetoothAddress) async throws(BluetoothError)
}

extension Radio {
  /// False: of a radio without bonds.
  public func hasLostBond(with address: BluetoothAddress) async -> Bool { false }
  /// Nothing: it is no hindrance to the next pairing.
  public func dropLostBond(with address: BluetoothAddress) async throws(BluetoothError) -> Bool { false }
}

/// Where a radio keeps its bonds, when nothing beneath it does.
public protocol BondKeeper: Sendable {
  /// The bond with a meter; nil when there is none.
  func bond(with address: BluetoothAddress) throws -> [UInt8]?
  /// Keeps a bond; it is on disk when this returns. Nil forgets it.
  func keep(_ bond: [UInt8]?, with address: BluetoothAddress) throws
}

/// Where bonds are kept that belong to one adapter each: a meter knows its partner by the adapter's address.
public protocol AdapterBonds: Sendable {
  /// The bond of an adapter with a meter; nil when there is none.
  func bond(with address: BluetoothAddress, at adapter: BluetoothAddress) throws -> [UInt8]?
  /// Keeps a bond; it is on disk when this returns. Nil forgets it.
  func keep(_ bond: [UInt8]?, with address: BluetoothAddress, at adapter: BluetoothAddress) throws
  /// All bonds of an adapter.
  func bonds(at adapter: BluetoothAddress) throws -> [[UInt8]]
  /// All bonds of all adapters, and of any other radio whose bonds are kept in the same place.
  func bonds() throws -> [[UInt8]]
}
