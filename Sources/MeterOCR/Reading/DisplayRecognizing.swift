public import DriverContract
public import MeterDrivers

/// Reads frames of a display and says what texts mean: a driver in its worker, or a script of a test (rule R17).
public protocol DisplayRecognizing: Sendable {
  /// The text of each row, or of each box where the frame names boxes.
  func recognize(_ frame: DisplayFrame, meter: UInt32) async throws(DriverFault) -> DisplayReading
  /// What the texts of all rows mean; `unit` is one of the dictionary, nil the meter's default.
  func interpret(_ texts: [String], meter: UInt32, unit: UInt16?) async throws(DriverFault) -> DisplayVerdict
}

extension DisplayReader: DisplayRecognizing {}
