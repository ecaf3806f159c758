public import MeterCore

/// How a display is looked at.
public struct OCROptions: Sendable {
  /// The unit that the meter is set to, a code of the dictionary; nil: its default.
  public var unit: UInt16?
  /// When frames of a camera or film are believed; nil: as is right for the meter's type.
  public var rules: ConvergenceRules?
  /// When photographs are believed.
  public var stillRules = StillVote.Rules()
  /// At most one frame in this time is looked at, by the frames' own clock, in nanoseconds; the preview shows all.
  public var lookInterval: UInt64 = 80_000_000
  /// When the reading is given up whatever the source does: by the clock of this machine.
  public var patience: Duration = .seconds(60)
  /// How many photographs of one display are looked at.
  public var mostPhotographs = 32
  /// How many damaged pictures are passed over.
  public var mostDamaged = 1000
  /// How to turn the frames of a camera that is mounted on its side.
  public var turn = ImageOrientation.asIs
  /// How frames get into the preview.
  public var scaling = OverlayGeometry.Scaling.fit
  /// A reading that is less sure than this waits for a person's confirmation.
  public var holdBelow = 0.85
  /// Whether the host's date is to be believed.
  public var isClockSynchronized = true
  /// The host's clocks.
  public var now: @Sendable () -> BootClock = { BootClock.now }

  /// The host's options.
  public init(unit: UInt16? = nil) { self.unit = unit }
}
