import GatewayAPI

extension ControlFeature {
  static let diagnosis = ControlFeature(requests: [SupportStateRequest.self])
}
