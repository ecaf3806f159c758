extension ControlFeature {
  static let submission = ControlFeature(requests: [SubmitRequest.self, ImageRequest.self])
}
