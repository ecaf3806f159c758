public import MeterCore
import CurlHTTP

extension RecordType {
  /// The record's `type` in Inform v2.
  public var informType: String {
    switch self {
    case .biometrics, .diabetes, .weight: "measurement"
    case .routine: "summary"
    case .nutrition: "nutrition"
    case .fitness: "workout"
    case .sleep: "sleep"
    case .intraday: "intraday"
    case .cgm: "cgm"
    }
  }

  /// The last part of the path under which Inform v2 keeps records of this type. Inform's public description takes uploads
  /// of neither `intraday` nor `cgm`; that they are sent under these names is an extension.
  public var informCollection: String {
    switch self {
    case .biometrics, .diabetes, .weight: "measurements"
    case .routine: "summaries"
    case .nutrition: "nutrition"
    case .fitness: "workouts"
    case .sleep: "sleep"
    case .intraday: "intraday"
    case .cgm: "cgm"
    }
  }
}
