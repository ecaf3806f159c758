import GatewayAPI

extension ControlFeature {
  static let feedback = ControlFeature(requests: [
    FeedbackShowRequest.self, FeedbackSetRequest.self, FeedbackTestRequest.self,
  ])
}
