import BluetoothWire
import KernelBluetooth

/// Who keeps an adapter's bonds: this host's store, or bluetoothd.
protocol AdapterBondKeeper: Sendable {
  /// The protection that the bond with a meter gives a link; nil without a bond.
  func protection(
    of peer: BluetoothAddress, at adapter: BluetoothAddress
  ) async throws(BluetoothError) -> ATTSocket.Security?
  /// Keeps a bond; it is on disk when this returns.
  func keep(_ bond: KernelBond, at adapter: BluetoothAddress) async throws(BluetoothError)
  /// Forgets the bond with a meter.
  func forget(_ peer: BluetoothAddress, at adapter: BluetoothAddress) async throws(BluetoothError)
  /// The program that runs the adapter, and pairs on it; nil where this host does.
  var daemon: BluetoothDaemon? { get }
  /// What the kernel has to be given when the adapter appears; nil: it is not this host's to give.
  func bonds(of adapter: BluetoothAddress) async throws(BluetoothError) -> KeptBonds?
}

/// What the kernel is given for an adapter.
struct KeptBonds: Sendable {
  /// The adapter's own bonds.
  var bonds: [KernelBond]
  /// The keys by which meters with changing addresses are recognised, those of other adapters' bonds among them: heard at
  /// this adapter, such a meter would be a stranger otherwise.
  var identities: [IdentityKey]
}
