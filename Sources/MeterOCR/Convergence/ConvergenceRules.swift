public import MeterDrivers

/// When a value is believed. The defaults are what the host uses; tests use smaller numbers.
public struct ConvergenceRules: Sendable, Hashable {
  /// How many frames that differ have to show the same texts.
  public var agreeing = 6
  /// How sure the reader has to be of each row.
  public var floor = 0.85
  /// The time between the first and the last of the agreeing frames, in nanoseconds.
  public var minimumTime: UInt64 = 500_000_000
  /// The same when a row that blinks was never seen lit: longer than it stays dark.
  public var minimumTimeBlinking: UInt64 = 2_000_000_000
  /// Of the frames that could be seen well this many of `shareOf` have to be sure and agree.
  public var share = 4
  /// See ``share``.
  public var shareOf = 5
  /// How many frames that could be seen well are remembered.
  public var window = 40
  /// How many clear frames have to agree after one with glare or with a row that could not be read.
  public var clearFrames = 3
  /// How much of a row's area may be covered by reflected light.
  public var glareShare = 0.02
  /// Other texts that were seen for certain since the value was first seen make it need this many times more frames, at
  /// most.
  public var mostRivals = 3
  /// After how many sure frames a wrong meter or unit is told.
  public var adviceFrames = 4
  /// For how long a wrong meter or unit is shown before it is the result, in nanoseconds.
  public var persistence: UInt64 = 3_000_000_000
  /// How long is looked, by the frames' own clock, in nanoseconds.
  public var timeout: UInt64 = 30_000_000_000

  /// The host's rules, whatever the meter.
  public init() {}

  /// The host's rules for a type of meter.
  ///
  /// While a thermometer measures, its display stands for a second or two at temperatures that are not the result, and it
  /// begins with the one before; a scale does while a person steps on it. Such values have to stand for longer.
  public init(for type: PeripheralType) {
    switch type {
    case .thermometer: minimumTime = 5_000_000_000
    case .weightScale: minimumTime = 3_000_000_000
    case .none, .bloodPressure, .heartRate, .glucoseMeter, .pulseOximeter, .inr, .peakFlow, .spirometer: break
    }
  }
}
