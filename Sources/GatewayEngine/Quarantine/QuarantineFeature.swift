import GatewayAPI

extension ControlFeature {
  static let quarantine = ControlFeature(requests: [
    QuarantineListRequest.self, QuarantineLiftRequest.self, SelfTestFaultRequest.self,
  ])
}
