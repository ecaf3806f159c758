public import GatewayAPI
public import MeterDrivers

extension Gateway {
  /// The picture of an entry of the catalogue, read and checked now; nil when it has none on this machine.
  ///
  /// - Throws: ``GatewayError`` with code `unknown_peripheral`, or that of the `RegistryError` for which the picture is not shown.
  public func picture(
    of id: UInt32, kind: PeripheralKind = .bluetooth
  ) throws(GatewayError) -> CataloguePicture? {
    guard let entry = registry.peripheral(id: id, kind: kind) else {
      throw kind == .ocr ? .unknownDisplay(id, in: registry) : .unknownPeripheral(id, in: registry)
    }
    guard let picture = entry.picture else { return nil }
    do throws(RegistryError) {
      return CataloguePicture(mediaType: picture.mediaType.rawValue, bytes: try picture.content())
    } catch { throw GatewayError(error) }
  }
}
