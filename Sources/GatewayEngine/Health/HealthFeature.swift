import GatewayAPI

extension ControlFeature {
  static let health = ControlFeature(
    requests: [HealthReportRequest.self], conversations: [HealthImportRequest.self])
}
