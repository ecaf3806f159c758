package import GatewayAPI
package import MeterCore

extension QueueResubmitRequest: HandledRequest {
  /// - Returns: The readings that are sent again, or their images.
  /// - Throws: `StoreError`; ``GatewayError`` with code `session_ended` when the receiver has refused the token.
  package func perform(on owner: GatewayOwner) async throws -> [LogID] {
    let generation = try owner.store.currentSession().generation
    let changed = try kept ? owner.store.resubmitKept() : owner.store.resubmitAll(reason: reason)
    guard !changed.isEmpty else { return [] }
    let left = try await owner.deliver(Array(changed), of: generation)
    if let left, !left.records.isEmpty {
      throw left.error(left.records.count == 1 ? "the reading is" : "\(left.records.count) readings are")
    }
    return changed.sorted { $0.description < $1.description }
  }
}
