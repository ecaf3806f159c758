import GatewayAPI

extension ControlFeature {
  static let submission = ControlFeature(requests: [SubmitRequest.self, ImageRequest.self])
}
