import GatewayAPI

extension ControlFeature {
  static let healthFeeds = ControlFeature(requests: [
    HealthWatchListRequest.self, HealthWatchAddRequest.self, HealthWatchRemoveRequest.self,
    HealthIngestShowRequest.self, HealthIngestListenRequest.self, HealthTokenNewRequest.self,
    HealthTokenListRequest.self, HealthTokenRevokeRequest.self, HealthFetchLatestRequest.self,
  ])
}
