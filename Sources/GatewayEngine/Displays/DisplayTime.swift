import GatewayAPI
import MeterCore

extension GatewayError {
  /// A display's picture whose time lies ahead of this machine's clock.
  static func futureDisplay(_ microseconds: Int64, now: Int64) -> GatewayError {
    let clock = HostClockReading(utcMicroseconds: now, isSynchronized: HostClockTrust.kernel.isSynchronized)
    let error = DraftError.future(microseconds, clock)
    return GatewayError(.usage, code: "display_time", error.message, hint: error.hint)
  }
}
