import GatewayAPI

extension ControlFeature {
  static let service = ControlFeature(requests: [ServiceShowRequest.self])
}
