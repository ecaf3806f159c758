package import GatewayAPI
package import MeterDrivers

extension PeripheralDescription {
  /// Describes an entry of the catalogue.
  package init(_ peripheral: Peripheral) {
    self.init(
      id: peripheral.id, kind: peripheral.kind.rawValue, generic: peripheral.isGeneric, name: peripheral.name,
      manufacturer: peripheral.manufacturer, model: peripheral.model, type: peripheral.type.rawValue,
      requiresPairing: peripheral.requiresPairing, pairingInstructions: peripheral.pairingInstructions,
      instructions: peripheral.instructions, readingInstructions: peripheral.readingInstructions,
      imageURL: peripheral.imageURL,
      picture: peripheral.picture.map { Picture(file: $0.path, mediaType: $0.mediaType.rawValue) },
      disabled: peripheral.isDisabled,
      connectionKind: peripheral.connectionKind.rawValue, supportedSince: "\(peripheral.supportedSince)",
      maturity: peripheral.maturity.rawValue, storedHistory: peripheral.hasStoredHistory,
      passive: peripheral.passive.rawValue, announcesBeforeMeasurement: peripheral.announcesBeforeMeasurement,
      approvalNeeded: peripheral.isApprovalNeeded,
      credentials: peripheral.credentials.map {
        Credential(name: $0.name, format: $0.format.rawValue, scope: $0.scope.rawValue, required: $0.isRequired)
      }, driver: peripheral.driverID,
      services: peripheral.services.map { service in
        Service(
          uuid: "\(service.uuid)", required: service.isRequired,
          characteristics: service.characteristics.map {
            Characteristic(uuid: "\($0.uuid)", required: $0.isRequired)
          })
      })
  }
}
