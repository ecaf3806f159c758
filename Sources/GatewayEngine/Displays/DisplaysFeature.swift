import GatewayAPI

extension ControlFeature {
  static let displays = ControlFeature(requests: [
    DisplayStartRequest.self, DisplaySubmitRequest.self, DisplayVerdictRequest.self, DisplayFaultRequest.self,
  ])
}
