import Foundation
import HostPrimitives
import MeterCore

extension QuarantinePolicy.Verdict {
  /// What to tell a person; nil when nothing stands in the way.
  public var words: String? {
    switch self {
    case .free: nil
    case .pairSetAside(let offence, let until):
      "Driver \(offence.driver) has failed with this meter \(offence.count) times (\(offence.message)) and is not used "
        + "with it until \(Self.time(until)); `meterhost driver quarantine` shows and lifts it"
    case .bundleSetAside(let offence):
      "Driver \(offence.driver) is in quarantine since \(Self.time(offence.setAsideMicroseconds ?? 0)): \(offence.message); "
        + "install another version, or lift it with `meterhost driver quarantine lift \(offence.driver)`"
    }
  }

  private static func time(_ microseconds: Int64) -> String {
    CivilMoment.utcSeconds(microseconds: microseconds)
  }
}
