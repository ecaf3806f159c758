import GatewayAPI

extension ControlFeature {
  static let events = ControlFeature(conversations: [EventsRequest.self])
}
