import GatewayAPI

extension ControlFeature {
  static let passive = ControlFeature(requests: [PassiveShowRequest.self, PassiveSetRequest.self])
}
