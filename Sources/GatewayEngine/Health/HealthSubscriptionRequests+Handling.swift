package import GatewayAPI
import MeterCore
import MeterHealth

extension HealthSubscriptionRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `no_session`; `HealthImportError` with code `stored_subscription`; `StoreError`.
  package func perform(on owner: GatewayOwner) throws -> HealthSubscriptionDescription {
    _ = try owner.choosingSession()
    return HealthSubscriptionDescription(try HealthSubscription(stored: owner.store.healthSubscription()))
  }
}

extension HealthSubscribeRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `no_session`; `HealthImportError` with code `unknown_type`; `StoreError`.
  package func perform(on owner: GatewayOwner) throws -> HealthSubscriptionDescription {
    let session = try owner.choosingSession()
    let subscription = try HealthSubscription(names: sets, processesIntraday: processesIntraday)
    try owner.store.setHealthSubscription(subscription.stored, of: session.generation)
    return HealthSubscriptionDescription(subscription)
  }
}

extension HealthSubscriptionDescription {
  /// Describes a subscription.
  init(_ subscription: HealthSubscription) {
    self.init(
      sets: HealthSet.allCases.map { set in
        Group(
          name: set.rawValue, types: set.sampleTypes + set.furtherTypes, isChosen: subscription.sets.contains(set))
      }, types: subscription.types.sorted(), processesIntraday: subscription.deliversIntraday)
  }
}
