import GatewayAPI

extension ControlFeature {
  static let sinks = ControlFeature(requests: [
    SinkAddRequest.self, SinkListRequest.self, SinkShowRequest.self, SinkKindsRequest.self, SinkTestRequest.self,
    SinkSubjectRequest.self,
    SinkPauseRequest.self, SinkRemoveRequest.self,
  ])
}
