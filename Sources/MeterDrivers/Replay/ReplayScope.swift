import DriverContract
import DriverRuntime

/// What has to be the same in a replay.
package enum ReplayScope: Sendable, Hashable {
  /// Every byte that the driver gives: it is the same bundle.
  case everything
  /// Records, and what the driver asks the meter for: another version may log other lines and keep other things.
  case recordsAndActions

  /// Whether a unit is as it was recorded.
  func isSame(_ recorded: DriverUnit, _ unit: DriverUnit) -> Bool {
    switch self {
    case .everything: recorded.comparedBytes == unit.comparedBytes
    case .recordsAndActions:
      recorded.status == unit.status && recorded.records == unit.records && recorded.actions == unit.actions
    }
  }
}
