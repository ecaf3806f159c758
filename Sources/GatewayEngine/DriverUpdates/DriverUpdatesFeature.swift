import GatewayAPI

extension ControlFeature {
  static let driverUpdates = ControlFeature(requests: [
    DriverSourceListRequest.self, DriverSourceAddRequest.self, DriverSourceRemoveRequest.self,
    DriverUpdateCheckRequest.self, DriverUpdateAutoRequest.self, DriverUpdateNoteRequest.self,
  ])
}
