import GatewayAPI

extension ControlFeature {
  static let radio = ControlFeature(requests: [RadioShowRequest.self])
}
