import GatewayAPI

extension ControlFeature {
  static let queue = ControlFeature(requests: [
    QueueListRequest.self, QueueLimitsRequest.self, QueueShowRequest.self, QueueDecisionRequest.self,
    QueueResubmitRequest.self, QueueEditRequest.self, QueuePauseRequest.self, QueueFlushRequest.self,
    ImageListRequest.self, ImageShowRequest.self,
  ])
}
