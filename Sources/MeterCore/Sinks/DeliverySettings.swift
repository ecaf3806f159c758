/// How many deliveries there may be at a time.
public struct DeliverySettings: Sendable, Hashable {
  /// Requests with records at a time.
  public var concurrency = 4
  /// Requests a second at most, of all kinds; nil for as many as the receiver answers.
  public var requestsPerSecond: Double?

  /// How many requests at a time there may be.
  package static let concurrencyRange = 1...64
  /// How many requests a second may be asked for.
  package static let rateRange = 0.01...10_000.0

  /// The defaults.
  public init() {}

  /// Why a number is out of its range, for people; nil when none is.
  package var problem: String? {
    guard Self.concurrencyRange.contains(concurrency) else {
      return
        "requests at a time must be \(Self.concurrencyRange.lowerBound) to \(Self.concurrencyRange.upperBound), not "
        + "\(concurrency)"
    }
    guard let rate = requestsPerSecond, !Self.rateRange.contains(rate) else { return nil }
    return "requests a second must be \(Self.rateRange.lowerBound) to \(Self.rateRange.upperBound)"
  }

  /// The settings with every number in its range.
  var bounded: DeliverySettings {
    var settings = self
    settings.concurrency = min(max(concurrency, Self.concurrencyRange.lowerBound), Self.concurrencyRange.upperBound)
    settings.requestsPerSecond = requestsPerSecond.map {
      $0.isFinite ? min(max($0, Self.rateRange.lowerBound), Self.rateRange.upperBound) : Self.rateRange.upperBound
    }
    return settings
  }
}
