/// A record as a driver reported it, field by field like `mh_record` (rule R12), before anything was checked.
public struct ReportedRecord: Sendable, Hashable {
  /// What a record is; the raw values are those of `MH_KIND_...`.
  public enum Kind: UInt32, Sendable, Hashable {
    /// One measurement.
    case measurement = 1
    /// Facts about a measurement that came in a packet of their own.
    case context = 2
    /// Facts about the meter.
    case deviceInformation = 3
    /// Protocol facts for tools.
    case diagnostic = 4
  }

  /// The raw values are those of `MH_REC_...`.
  public struct Flags: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt32
    /// Flags from their bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// Progress, not a result.
    public static let provisional = Flags(rawValue: 0x1)
    /// Control solution.
    public static let control = Flags(rawValue: 0x2)
    /// The meter's clock was unset, jumped or lies in the future.
    public static let clockSuspect = Flags(rawValue: 0x4)
    /// Wait for a person.
    public static let held = Flags(rawValue: 0x8)
    /// The meter took this record back.
    public static let tombstone = Flags(rawValue: 0x10)
  }

  /// The raw values are those of `MH_TIME_...`.
  public enum TimeKind: UInt16, Sendable, Hashable {
    /// The meter gave no time.
    case none = 0
    /// Time on the meter's display, zone unknown.
    case civil = 1
    /// Time on the meter's display, and how far it is ahead of UTC.
    case civilWithOffset = 2
    /// UTC.
    case utc = 3
  }

  /// What the record is.
  public var kind: Kind
  /// Its flags.
  public var flags: Flags
  /// The meter's user slot, nil when it does not say.
  public var deviceUser: UInt16?
  /// How to read the times.
  public var timeKind: TimeKind
  /// Start in microseconds, civil or UTC by `timeKind`.
  public var startMicroseconds: Int64
  /// End in microseconds, equal to the start for a single moment.
  public var endMicroseconds: Int64
  /// How far the display is ahead of UTC, nil when not known.
  public var utcOffsetSeconds: Int32?
  /// The meter's own sequence number.
  public var deviceSequence: UInt64?
  /// The identity bytes.
  public var identity: [UInt8]
  /// What the identity is made of.
  public var identityClass: IdentityClass
  /// The values.
  public var values: [ReportedValue]
  /// The texts.
  public var texts: [RecordNote]

  /// A reported record from its parts.
  public init(
    kind: Kind = .measurement, flags: Flags = [], deviceUser: UInt16? = nil, timeKind: TimeKind,
    startMicroseconds: Int64, endMicroseconds: Int64? = nil, utcOffsetSeconds: Int32? = nil,
    deviceSequence: UInt64? = nil, identity: [UInt8], identityClass: IdentityClass, values: [ReportedValue],
    texts: [RecordNote] = []
  ) {
    self.kind = kind
    self.flags = flags
    self.deviceUser = deviceUser
    self.timeKind = timeKind
    self.startMicroseconds = startMicroseconds
    self.endMicroseconds = endMicroseconds ?? startMicroseconds
    self.utcOffsetSeconds = utcOffsetSeconds
    self.deviceSequence = deviceSequence
    self.identity = identity
    self.identityClass = identityClass
    self.values = values
    self.texts = texts
  }
}

/// A value as a driver reported it, like `mh_value`.
public struct ReportedValue: Sendable, Hashable {
  /// Code of the metric.
  public var metric: UInt16
  /// Code of the unit.
  public var unit: UInt16
  /// The number: `raw` times ten to the power of `exponent`.
  public var raw: Int64
  /// The power of ten.
  public var exponent: Int8
  /// The nearest double, by the driver.
  public var value: Double
  /// How to read it.
  public var qualifier: ValueQualifier
  /// Whether the meter's own step is no decimal fraction of the unit.
  public var isRounded: Bool

  /// A reported value from its parts.
  public init(
    metric: UInt16, unit: UInt16, raw: Int64, exponent: Int8, value: Double, qualifier: ValueQualifier = .exact,
    isRounded: Bool = false
  ) {
    self.metric = metric
    self.unit = unit
    self.raw = raw
    self.exponent = exponent
    self.value = value
    self.qualifier = qualifier
    self.isRounded = isRounded
  }
}
