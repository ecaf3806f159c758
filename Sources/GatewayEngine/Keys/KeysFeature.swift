import GatewayAPI

extension ControlFeature {
  static let keys = ControlFeature(requests: [KeySetRequest.self, KeyListRequest.self, KeyForgetRequest.self])
}
