import GatewayAPI

extension ControlFeature {
  static let scanning = ControlFeature(conversations: [ScanRequest.self])
}
