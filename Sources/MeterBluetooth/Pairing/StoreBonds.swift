public import BluetoothWire
public import MeterCore

/// Bonds in the state folder, encrypted like every other key.
public struct StoreBonds: BondKeeper {
  private let store: MeterStore

  /// The bonds of this store.
  public init(_ store: MeterStore) { self.store = store }

  /// The bond with a meter; nil when there is none.
  public func bond(with address: BluetoothAddress) throws -> [UInt8]? { try store.bond(with: address.description) }

  /// Keeps a bond; nil forgets it.
  public func keep(_ bond: [UInt8]?, with address: BluetoothAddress) throws {
    try store.setBond(bond, with: address.description)
  }
}

extension StoreBonds: AdapterBonds {
  /// The bond of an adapter with a meter; nil when there is none.
  public func bond(with address: BluetoothAddress, at adapter: BluetoothAddress) throws -> [UInt8]? {
    try store.bond(with: Self.prefix(adapter) + address.description)
  }

  /// Keeps a bond; nil forgets it.
  public func keep(_ bond: [UInt8]?, with address: BluetoothAddress, at adapter: BluetoothAddress) throws {
    try store.setBond(bond, with: Self.prefix(adapter) + address.description)
  }

  /// All bonds of an adapter.
  public func bonds(at adapter: BluetoothAddress) throws -> [[UInt8]] {
    try store.bonds(withPrefix: Self.prefix(adapter))
  }

  /// All bonds of every adapter, and of the virtual air.
  public func bonds() throws -> [[UInt8]] { try store.bonds(withPrefix: "") }

  private static func prefix(_ adapter: BluetoothAddress) -> String { "\(adapter)/" }
}
