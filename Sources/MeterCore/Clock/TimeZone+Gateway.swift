public import Foundation

extension TimeZone {
  /// The gateway's zone at this moment: what ``GatewayZone`` knows of it, and what Foundation has where that knows nothing. Foundation's
  /// `current` is the one in which the process was started, and a service outlives the day on which somebody sets the zone.
  public static var gateway: TimeZone {
    if case .known(let zone, _) = GatewayZone.current() { return zone }
    NSTimeZone.resetSystemTimeZone()
    return .current
  }
}
