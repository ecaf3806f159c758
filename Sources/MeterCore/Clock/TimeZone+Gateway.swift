public import Foundation

extension TimeZone {
  /// The gateway's zone at this moment. Foundation's `current` is the one in which the process was started, and a service
  /// outlives the day on which somebody sets the zone.
  public static var gateway: TimeZone {
    NSTimeZone.resetSystemTimeZone()
    return .current
  }
}
