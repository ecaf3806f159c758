import GatewayAPI

extension ControlFeature {
  static let session = ControlFeature(requests: [
    SessionStartRequest.self, SessionShowRequest.self, SessionBodyRequest.self, SessionEndRequest.self,
    SessionRecoverRequest.self,
  ])
}
