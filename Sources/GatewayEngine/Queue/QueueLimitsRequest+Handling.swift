package import GatewayAPI
package import MeterCore

extension QueueLimitsRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `queue_limit` for a number that is no limit; `StoreError`.
  package func perform(on owner: GatewayOwner) throws -> QueueLimitsDescription {
    var limits = owner.store.limits
    if let records { limits.records = records }
    if let bytes { limits.bytes = bytes }
    if let age { limits.age = age == 0 ? nil : .seconds(age) }
    guard limits.records > 0, limits.bytes > 0, age ?? 0 >= 0, age ?? 0 <= Self.longestAge else {
      throw GatewayError(
        .usage, code: "queue_limit",
        "a queue holds one record and one byte at least, and waits for a hundred years at most")
    }
    if records != nil || bytes != nil || age != nil { try owner.store.setLimits(limits) }
    return try QueueLimitsDescription(owner.store)
  }

  private static let longestAge: Int64 = 100 * 366 * 86_400
}

extension QueueLimitsDescription {
  /// Describes a store's.
  ///
  /// - Throws: `StoreError`.
  package init(_ store: MeterStore) throws(StoreError) {
    let (usage, limits) = (try store.usage(), store.limits)
    self.init(
      usedRecords: usage.records, usedBytes: usage.bytes, records: limits.records, bytes: limits.bytes,
      age: limits.age?.components.seconds)
  }
}
