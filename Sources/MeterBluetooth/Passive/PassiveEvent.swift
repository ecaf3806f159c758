public import Foundation

/// What passive reading tells.
public enum PassiveEvent: Sendable {
  /// A meter that announces itself before it measures was heard and its link is up: it is time to measure.
  case isReady(peripheral: UInt32, meter: UUID)
  /// A meter was read; the summary holds what is new, which may be nothing.
  case didRead(peripheral: UInt32, meter: UUID, ReadSummary)
  /// A meter could not be read. `meter` is nil when it did not come so far that it was known.
  case didFail(peripheral: UInt32, meter: UUID?, BluetoothError)

  /// The catalogue entry.
  public var peripheral: UInt32 {
    switch self {
    case .isReady(let peripheral, _), .didRead(let peripheral, _, _), .didFail(let peripheral, _, _): peripheral
    }
  }
}
