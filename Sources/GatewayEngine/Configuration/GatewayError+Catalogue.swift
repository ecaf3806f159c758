package import GatewayAPI
package import MeterDrivers

extension GatewayError {
  /// The catalogue has no such Bluetooth entry.
  package static func unknownPeripheral(_ id: UInt32, in registry: Registry) -> GatewayError {
    GatewayError(
      .usage, code: "unknown_peripheral", registry.isNoBluetoothPeripheral(id),
      hint: "`meterhost peripherals list` shows what there is")
  }

  /// The catalogue has no such meter whose display is read.
  package static func unknownDisplay(_ id: UInt32, in registry: Registry) -> GatewayError {
    let package = registry.disabledPackage(with: PeripheralKey(kind: .ocr, id: id))
    return GatewayError(
      .usage, code: "unknown_peripheral",
      package.map { Registry.isDisabled("the meter \(id)", package: $0) }
        ?? "there is no meter \(id) whose display can be read",
      hint: "`meterhost snap list` shows what there is")
  }
}
