import GatewayAPI

extension ControlFeature {
  static let metrics = ControlFeature(requests: [MetricsShowRequest.self])
}
