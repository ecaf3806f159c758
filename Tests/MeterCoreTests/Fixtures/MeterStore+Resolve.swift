@testable import MeterCore

extension MeterStore {
  /// Files one answer, as most tests have one.
  func resolve(_ ticket: DeliveryTicket, _ resolution: DeliveryResolution) throws(StoreError) -> Bool {
    try resolve([(ticket, resolution)]) == [true]
  }
}
