import GatewayAPI

extension ControlFeature {
  static let session = ControlFeature(requests: [
    SessionStartRequest.self, SessionShowRequest.self, SessionEndRequest.self, SessionRecoverRequest.self,
  ])
}
