import GatewayAPI

extension ControlFeature {
  static let reading = ControlFeature(conversations: [ReadRequest.self, PairRequest.self])
}
