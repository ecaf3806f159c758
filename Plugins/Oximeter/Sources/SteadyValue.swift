import MeterDriver

/// Waits until a continuous measurement has settled: saturation within one percent and pulse within three beats of where
/// they were, for ten seconds of the host's clock, without a gap.
struct SteadyValue {
  static var length: UInt64 { 10_000_000_000 }
  /// Oximeters send about once a second; after this much silence the finger may be another's.
  static var longestGap: UInt64 { 3_000_000_000 }

  private struct Window {
    let start: UInt64
    let saturation: Double
    let rate: Double
    var last: UInt64
  }

  private var window: Window?

  /// Takes a value; nil is one without a reading. True when the values have been steady long enough.
  mutating func take(_ reading: (saturation: Decimal, rate: Decimal)?, at nanoseconds: UInt64) -> Bool {
    guard let reading else {
      window = nil
      return false
    }
    let (saturation, rate) = (reading.saturation.doubleValue, reading.rate.doubleValue)
    guard var current = window, nanoseconds >= current.last, nanoseconds - current.last <= SteadyValue.longestGap,
      (saturation - current.saturation).magnitude <= 1, (rate - current.rate).magnitude <= 3
    else {
      window = Window(start: nanoseconds, saturation: saturation, rate: rate, last: nanoseconds)
      return false
    }
    current.last = nanoseconds
    window = current
    return nanoseconds - current.start >= SteadyValue.length
  }
}
