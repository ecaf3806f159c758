import GatewayAPI

extension ControlFeature {
  static let backup = ControlFeature(requests: [BackupShowRequest.self], conversations: [BackupRequest.self])
}
