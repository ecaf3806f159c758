public import GatewayAPI
public import MeterDrivers

extension Gateway {
  /// The meter whose display has this id.
  ///
  /// - Throws: ``GatewayError`` with code `unknown_peripheral`.
  public func display(_ id: UInt32) throws(GatewayError) -> Peripheral {
    guard let found = registry.peripheral(id: id, kind: .ocr), !found.isDisabled else {
      throw .unknownDisplay(id, in: registry)
    }
    return found
  }
}
