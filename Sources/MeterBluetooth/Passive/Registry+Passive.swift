import MeterDrivers

extension Registry {
  /// Checks that a catalogue entry can be read without a person who starts it.
  func checkPassive(_ id: UInt32) throws(BluetoothError) {
    guard let peripheral = peripheral(id: id), !peripheral.isDisabled else {
      throw BluetoothError(
        .unknownPeripheral, isNoBluetoothPeripheral(id) + "; `meterhost peripherals list` shows what there is")
    }
    guard peripheral.passive != .no else {
      throw BluetoothError(
        .unknownPeripheral,
        "\(peripheral.name) (\(id)) has to be set to transfer by hand and cannot be read passively; read it with "
          + "`meterhost read \(id)`")
    }
  }
}
