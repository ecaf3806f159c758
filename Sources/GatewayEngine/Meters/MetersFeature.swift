import GatewayAPI

extension ControlFeature {
  static let meters = ControlFeature(requests: [
    MetersListRequest.self, MetersForgetRequest.self, MetersAssignRequest.self, MetersSetRequest.self,
  ])
}
