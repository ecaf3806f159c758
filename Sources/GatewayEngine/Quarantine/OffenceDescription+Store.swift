package import GatewayAPI
import HostPrimitives
package import MeterCore
import MeterDrivers

extension OffenceDescription {
  /// Describes an offence.
  package init(_ offence: DriverOffence, now: Int64) {
    let state: State
    var until: String?
    switch QuarantinePolicy().verdict(on: [offence], meter: offence.meter?.key, now: now) {
    case .bundleSetAside: state = .quarantined
    case .pairSetAside(_, let end):
      state = .setAside
      until = Self.time(end)
    case .free: state = offence.setAsideMicroseconds == nil ? .noted : .over
    }
    self.init(
      driver: offence.driver, bundle: offence.bundle, meter: offence.meter?.name, state: state, count: offence.count,
      first: Self.time(offence.firstMicroseconds), last: Self.time(offence.lastMicroseconds), until: until,
      code: offence.code, rule: offence.rule, message: offence.message, recording: offence.recording)
  }

  private static func time(_ microseconds: Int64) -> String {
    CivilMoment.utcSeconds(microseconds: microseconds)
  }
}
