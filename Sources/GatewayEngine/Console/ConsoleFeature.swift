import GatewayAPI

extension ControlFeature {
  static let console = ControlFeature(requests: [ConsoleLinkRequest.self, ConsolePasswordRequest.self])
}
