import BluetoothWire
import KernelBluetooth

/// Bonds that bluetoothd keeps: on an adapter that it runs, its store is the truth, and nothing of it is touched here.
struct DaemonBondKeeper: AdapterBondKeeper {
  let daemon: BluetoothDaemon?
  let adapter: String

  func protection(
    of peer: BluetoothAddress, at adapter: BluetoothAddress
  ) async throws(BluetoothError) -> ATTSocket.Security? {
    do { return try await daemon?.protection(of: peer, at: self.adapter) } catch {
      throw BluetoothError(kernel: error, otherwise: .connectionFailure)
    }
  }

  // What bluetoothd has paired it has kept.
  func keep(_ bond: KernelBond, at adapter: BluetoothAddress) async throws(BluetoothError) {}

  func forget(_ peer: BluetoothAddress, at adapter: BluetoothAddress) async throws(BluetoothError) {
    do { try await daemon?.forget(peer, at: self.adapter) } catch {
      throw BluetoothError(kernel: error, otherwise: .storeFailure)
    }
  }

  func bonds(of adapter: BluetoothAddress) async throws(BluetoothError) -> KeptBonds? { nil }
}
