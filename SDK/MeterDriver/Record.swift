/// What a record is (`MH_KIND_*`).
public enum RecordKind: UInt32 {
  /// One measurement.
  case measurement = 1
  /// Facts about a measurement that came in a packet of their own; joined by sequence, never delivered alone.
  case context = 2
  /// Facts about the meter.
  case deviceInfo = 3
  /// Protocol facts for tools; never committed.
  case diagnostic = 4
}

/// Flags of a record (`MH_REC_*`).
public struct RecordFlags: OptionSet {
  /// The bits as the contract numbers them.
  public let rawValue: UInt32

  /// Takes the contract's bits.
  @inlinable
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Progress, not a result.
  @inlinable
  public static var provisional: RecordFlags { RecordFlags(rawValue: 1) }
  /// Control solution: never a value of a person.
  @inlinable
  public static var control: RecordFlags { RecordFlags(rawValue: 2) }
  /// The meter's clock was unset, jumped or lies in the future.
  @inlinable
  public static var clockSuspect: RecordFlags { RecordFlags(rawValue: 4) }
  /// Wait for a person before delivery.
  @inlinable
  public static var held: RecordFlags { RecordFlags(rawValue: 8) }
  /// The meter took this record back.
  @inlinable
  public static var tombstone: RecordFlags { RecordFlags(rawValue: 16) }
}

/// When a record was measured.
public enum RecordTime: Equatable {
  /// The meter gave no time; the host uses the time of arrival.
  case none
  /// Microseconds of civil time since 1970-01-01T00:00 on the meter's display; its zone is unknown.
  case civil(Int64)
  /// Microseconds of civil time on the meter's display, and how many seconds that display is ahead of UTC.
  case civilWithOffset(Int64, seconds: Int32)
  /// Microseconds since 1970-01-01T00:00Z.
  case utc(Int64)
}

/// What makes a record's identity (`MH_IDENT_*`).
public enum IdentityClass: UInt16 {
  /// The same identity bytes on every read of this meter.
  case stored = 1
  /// The host makes an identity at first commit.
  case live = 2
  /// A sum over an interval, sent again as it grows.
  case summary = 3
}

/// How a value is to be read (`MH_QUAL_*`).
public enum Qualifier: UInt8 {
  /// As it stands.
  case exact = 0
  /// The true value is above it: the meter said "HI".
  case above = 1
  /// The true value is below it: the meter said "LO".
  case below = 2
  /// The meter itself doubts it.
  case questionable = 3
}

/// A metric: a code of the dictionary in `registry.json`, or the driver's own from 0x8000 on.
public struct Metric: Equatable {
  /// The code.
  public let code: UInt16

  /// Takes a code (`MH_METRIC_*`, which C macros give 32 bits).
  @inlinable
  public init(_ code: UInt32) { self.code = UInt16(truncatingIfNeeded: code) }
}

/// A unit: a code of the dictionary in `registry.json`.
public struct Unit: Equatable {
  /// The code.
  public let code: UInt16

  /// Takes a code (`MH_UNIT_*`, which C macros give 32 bits).
  @inlinable
  public init(_ code: UInt32) { self.code = UInt16(truncatingIfNeeded: code) }
}
