import CMeterDriver
import DriverContract

/// How much a driver may ask of its services while it handles one event: the host computes, and a driver must not keep it
/// busy.
struct ServiceBudget {
  /// Requests of one event.
  static let mostRequests = Int(MH_SERVICE_CALLS_MAX)
  /// Bytes of all requests of one event together.
  static let mostBytes = Int(MH_SERVICE_BYTES_MAX)

  /// Requests for random bytes, which have an allowance of their own: the contract counts them among no others.
  static let mostRandomRequests = 4096

  private var requests = 0
  private var bytes = 0
  private var random = (requests: 0, bytes: 0)

  init() {}

  /// Counts a request; false when it is beyond the budget.
  mutating func admit(_ request: ServiceRequest) -> Bool {
    if case .random = request {
      random.requests += 1
      random.bytes += request.size
      return random.requests <= Self.mostRandomRequests && random.bytes <= Self.mostBytes
        && request.size <= Int(MH_RANDOM_MAX)
    }
    requests += 1
    bytes += request.size
    return requests <= Self.mostRequests && bytes <= Self.mostBytes
  }
}
