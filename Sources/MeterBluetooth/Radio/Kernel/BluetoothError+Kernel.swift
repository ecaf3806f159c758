import BluetoothWire
import KernelBluetooth

extension BluetoothError {
  /// What the kernel's Bluetooth says, in the words of this host.
  ///
  /// - Parameter otherwise: The code of what concerns the one operation and not the adapter.
  init(kernel error: any Error, otherwise: Code) {
    switch error {
    case let error as BluetoothError: self = error
    case let error as KernelBluetoothError:
      self.init(error.adapterCode ?? otherwise, error.message, cause: error)
    case is CancellationError: self.init(.cancelled, "it was given up")
    default: self.init(otherwise, "\(error)", cause: error)
    }
  }
}

extension KernelBluetoothError {
  fileprivate var adapterCode: BluetoothError.Code? {
    switch code {
    case .noSupport, .noAdapter, .noLowEnergy, .poweredOff, .blocked: .bluetoothOff
    case .noPermission: .noPermission
    case .adapterGone: .adapterGone
    case .noAnswer, .refused, .link, .system: nil
    }
  }
}
