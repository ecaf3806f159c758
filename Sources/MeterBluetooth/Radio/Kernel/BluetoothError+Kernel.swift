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

  /// The meter does not know the bond that this host keeps (HCI error 06, PIN or Key Missing).
  static func forgotten(by address: BluetoothAddress, cause: any Error) -> BluetoothError {
    BluetoothError(
      .bondLost,
      "\(address) has forgotten this gateway, as after new batteries; put it into its pairing mode and pair it again",
      cause: cause)
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

extension KernelBluetoothError {
  /// Whether the meter has refused to encrypt with the key that this host keeps.
  var isLostBond: Bool { code == .link && Self.lostBondNumbers.contains(errno) }
}
