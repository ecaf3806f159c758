import GatewayAPI

extension ControlFeature {
  static let logging = ControlFeature(requests: [LogShowRequest.self, LogSetRequest.self, LogTailRequest.self])
}
