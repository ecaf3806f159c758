import GatewayAPI

extension ControlFeature {
  static let receiverCalls = ControlFeature(requests: [ReceiverCallRequest.self])
}
