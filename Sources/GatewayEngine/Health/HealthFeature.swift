import GatewayAPI

extension ControlFeature {
  static let health = ControlFeature(
    requests: [
      HealthReportRequest.self, HealthSubscriptionRequest.self, HealthSubscribeRequest.self, HealthSourcesRequest.self,
      HealthOrderRequest.self, HealthSourceRequest.self, HealthVanishedRequest.self, HealthVanishDeleteRequest.self,
    ], conversations: [HealthImportRequest.self])
}
