/// What a record is (`MH_KIND_*`).
public enum DriverRecordKind: UInt32, Sendable, Hashable, CaseIterable {
  /// Values that were taken together: what can become a reading.
  case measurement = 1
  /// Facts about a measurement that came in a packet of their own; joined by `deviceSequence`, never delivered alone.
  case context
  /// Facts about the meter; never a reading.
  case deviceInfo
  /// Protocol facts for tools; never committed.
  case diagnostic
}

/// Flags of a record (`MH_REC_*`).
public struct DriverRecordFlags: OptionSet, Sendable, Hashable {
  /// The bits as they cross the contract.
  public let rawValue: UInt32

  /// Flags from their bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Progress, not a result.
  public static let provisional = DriverRecordFlags(rawValue: 0x1)
  /// Control solution: never a value of a person.
  public static let control = DriverRecordFlags(rawValue: 0x2)
  /// The meter's clock was unset, jumped or lies in the future.
  public static let clockSuspect = DriverRecordFlags(rawValue: 0x4)
  /// Waits for a person before delivery (rule R27).
  public static let held = DriverRecordFlags(rawValue: 0x8)
  /// The meter took this record back.
  public static let tombstone = DriverRecordFlags(rawValue: 0x10)
}

/// How a record's times are to be read (`MH_TIME_*`).
public enum DriverTimeKind: UInt16, Sendable, Hashable, CaseIterable {
  /// The meter gave no time.
  case none
  /// Civil time on the meter's display; its zone is unknown.
  case civil
  /// Civil time with a known offset.
  case civilWithOffset
  /// A moment that needs no zone; the meter knows UTC.
  case utc
}

/// What makes a record's identity (`MH_IDENT_*`).
public enum DriverIdentityClass: UInt16, Sendable, Hashable, CaseIterable {
  /// None given; allowed for records that are no measurement.
  case unidentified
  /// The same identity bytes on every read of this meter.
  case stored
  /// Neither sequence number nor set clock: the host makes an identity at first commit.
  case live
  /// A sum over an interval, sent again as it grows.
  case summary
}

/// How a value is to be read (`MH_QUAL_*`).
public enum DriverQualifier: UInt8, Sendable, Hashable, CaseIterable {
  case exact
  /// The meter said "HI".
  case above
  /// The meter said "LO".
  case below
  /// The meter itself doubts it.
  case questionable
}

/// One value: exactly `raw` * 10^`exponent` in `unit`; `value` is the nearest double.
public struct DriverValue: Sendable, Hashable {
  /// Metric code of the dictionary, or the driver's own from 0x8000 on.
  public var metric: UInt16
  /// Unit code of the dictionary.
  public var unit: UInt16
  /// Decimal exponent as the meter reported it.
  public var exponent: Int8
  /// How the value is to be read.
  public var qualifier: DriverQualifier
  /// The nearest double.
  public var value: Double
  /// The exact mantissa.
  public var raw: Int64
  /// Whether the meter's own step is no decimal fraction of the unit (`MH_VALUE_ROUNDED`).
  public var isRounded: Bool

  /// Makes a value.
  public init(
    metric: UInt16, unit: UInt16, exponent: Int8, qualifier: DriverQualifier, value: Double, raw: Int64,
    isRounded: Bool = false
  ) {
    self.metric = metric
    self.unit = unit
    self.exponent = exponent
    self.qualifier = qualifier
    self.value = value
    self.raw = raw
    self.isRounded = isRounded
  }
}

/// One text of a record.
public struct DriverText: Sendable, Hashable {
  /// Metric code of the dictionary's kind "text".
  public var field: UInt16
  /// What the driver said, which is UTF-8 in the contract's arena.
  public var text: String

  /// Makes a text.
  public init(field: UInt16, text: String) {
    self.field = field
    self.text = text
  }
}

/// One record as a driver put it out, checked (rule R12).
public struct DriverRecord: Sendable, Hashable {
  /// Whether it is a measurement, or facts about one, about the meter or about the protocol.
  public var kind: DriverRecordKind
  /// What sets it apart from an ordinary record, such as that it is a control solution.
  public var flags: DriverRecordFlags
  /// The meter's user slot, 0 when it has none or does not say.
  public var deviceUser: UInt16?
  /// How the times are to be read.
  public var timeKind: DriverTimeKind
  /// Start, microseconds since 1970-01-01T00:00 in the clock that `timeKind` names; 0 when it is `.none`.
  public var startMicroseconds: Int64
  /// End of the interval; equal to the start for a single moment.
  public var endMicroseconds: Int64
  /// The meter's own sequence number.
  public var deviceSequence: UInt64?
  /// How far the meter's display is ahead of UTC, seconds.
  public var utcOffsetSeconds: Int32?
  /// Records of one act of measuring carry the same number; 0: alone.
  public var group: UInt32
  /// Identity bytes as the meter reported them.
  public var identity: [UInt8]
  /// What makes the identity.
  public var identityClass: DriverIdentityClass
  /// What was measured and coded facts about it, in the driver's order.
  public var values: [DriverValue]
  /// What is told in words, in the driver's order; mostly none.
  public var texts: [DriverText]

  /// Makes a record; without an end it is of a single moment.
  public init(
    kind: DriverRecordKind, flags: DriverRecordFlags = [], deviceUser: UInt16? = nil, timeKind: DriverTimeKind = .none,
    startMicroseconds: Int64 = 0, endMicroseconds: Int64? = nil, deviceSequence: UInt64? = nil,
    utcOffsetSeconds: Int32? = nil, group: UInt32 = 0, identity: [UInt8] = [],
    identityClass: DriverIdentityClass = .live, values: [DriverValue] = [], texts: [DriverText] = []
  ) {
    self.kind = kind
    self.flags = flags
    self.deviceUser = deviceUser
    self.timeKind = timeKind
    self.startMicroseconds = startMicroseconds
    self.endMicroseconds = endMicroseconds ?? startMicroseconds
    self.deviceSequence = deviceSequence
    self.utcOffsetSeconds = utcOffsetSeconds
    self.group = group
    self.identity = identity
    self.identityClass = identityClass
    self.values = values
    self.texts = texts
  }
}

extension DriverRecord {
  /// True for progress that must not become a reading.
  package var isProvisional: Bool { flags.contains(.provisional) }
  /// True when the record may go to the store.
  package var isDurable: Bool { !isProvisional && kind != .diagnostic }
}
