/// What kind of record it is: which metrics belong together. The raw values are on disk.
public enum RecordType: String, Sendable, Hashable, Codable, CaseIterable {
  /// Vital signs and laboratory values that have no type of their own.
  case biometrics
  /// Glucose and what belongs to it.
  case diabetes
  /// Body weight and composition.
  case weight
  /// Sums of a day.
  case routine
  /// Food.
  case nutrition
  /// A workout.
  case fitness
  /// A night.
  case sleep
  /// Fine-grained series of a day.
  case intraday
  /// Continuous glucose.
  case cgm
}

/// What makes a record's identity.
public enum IdentityClass: String, Sendable, Hashable, Codable {
  /// Sequence number or set clock: the same id on every gateway.
  case stored
  /// Neither: a random id at the first commit.
  case live
  /// A sum over an interval, sent again as it grows.
  case summary
}

/// How a value is to be read.
public enum ValueQualifier: String, Sendable, Hashable, Codable, CaseIterable {
  /// The value itself.
  case exact
  /// The meter said "HI": the true value is above.
  case above
  /// The meter said "LO": the true value is below.
  case below
  /// The meter itself doubts it.
  case questionable
}

/// Who gave a value.
public enum ValueOrigin: String, Sendable, Hashable, Codable, CaseIterable {
  /// A meter.
  case device
  /// A person.
  case manual
  /// Not known.
  case unknown
}

/// One value of a record, as reported.
public struct RecordValue: Sendable, Hashable, Codable {
  /// Code of the metric in the dictionary.
  public let metric: UInt16
  /// Code of the unit in the dictionary.
  public let unit: UInt16
  /// The decimal number with all the places that it was reported with, so that 6.20 stays 6.20.
  public let number: ReportedNumber
  /// How to read it.
  public let qualifier: ValueQualifier
  /// Whether the meter's own step is no decimal fraction of the unit, so that the number was rounded once already.
  public let isRounded: Bool

  /// A value from its parts.
  public init(
    metric: UInt16, unit: UInt16, number: ReportedNumber, qualifier: ValueQualifier = .exact, isRounded: Bool = false
  ) {
    self.metric = metric
    self.unit = unit
    self.number = number
    self.qualifier = qualifier
    self.isRounded = isRounded
  }

  /// Rows of a state folder that was made before values had `isRounded` lack it.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    metric = try container.decode(UInt16.self, forKey: .metric)
    unit = try container.decode(UInt16.self, forKey: .unit)
    number = try container.decode(ReportedNumber.self, forKey: .number)
    qualifier = try container.decode(ValueQualifier.self, forKey: .qualifier)
    isRounded = try container.decodeIfPresent(Bool.self, forKey: .isRounded) ?? false
  }

  /// The metric's name; `vendor-0x8001` for a driver's own, `metric-77` for one that the dictionary does not know.
  public var metricName: String {
    if let name = Metric.withCode(metric)?.name { return name }
    return metric >= Metric.firstVendorCode ? "vendor-0x" + String(metric, radix: 16) : "metric-\(metric)"
  }
  /// The unit in UCUM; `unit-77` when the dictionary does not know it.
  public var ucum: String { MetricUnit.withCode(unit)?.ucum ?? "unit-\(unit)" }
  /// The word that a coded value stands for, nil for quantities and unknown codes.
  public var word: String? {
    guard let metric = Metric.withCode(metric), metric.kind == .code else { return nil }
    return Int(number.description).flatMap { metric.codes[$0] }
  }
}

/// A text of a record.
public struct RecordNote: Sendable, Hashable, Codable {
  /// Code of a metric of kind text.
  public let field: UInt16
  /// What the meter, a person or an export says.
  public let text: String

  /// A note from its parts.
  public init(field: UInt16, text: String) {
    self.field = field
    self.text = text
  }
}

/// When a reading was taken, as UTC and as the meter showed it.
public struct RecordTime: Sendable, Hashable, Codable {
  /// What the meter gave.
  public enum Kind: String, Sendable, Hashable, Codable {
    /// Nothing: the time of arrival was taken.
    case none
    /// The time on its display, zone unknown.
    case civil
    /// The time on its display and how far that is ahead of UTC.
    case civilWithOffset
    /// A moment that needs no zone; the meter knows UTC.
    case utc
  }

  /// Where the UTC offset comes from.
  public enum ZoneSource: String, Sendable, Hashable, Codable {
    /// The meter said it.
    case meter
    /// The gateway's own zone at that moment.
    case gateway
    /// The user's default zone.
    case user
  }

  /// Start in microseconds since 1970-01-01T00:00Z.
  public let startMicroseconds: Int64
  /// End in microseconds since 1970-01-01T00:00Z; equal to the start for a single moment.
  public let endMicroseconds: Int64
  /// The start on the meter's display, in microseconds since 1970-01-01T00:00 there; nil when it shows none.
  public let civilMicroseconds: Int64?
  /// How far local time was ahead of UTC; nil when not known.
  public let utcOffsetSeconds: Int?
  /// Where the offset comes from; nil without an offset.
  public let zoneSource: ZoneSource?
  /// What the meter gave.
  public let kind: Kind

  /// A time from its parts.
  public init(
    startMicroseconds: Int64, endMicroseconds: Int64, civilMicroseconds: Int64?, utcOffsetSeconds: Int?,
    zoneSource: ZoneSource?, kind: Kind
  ) {
    self.startMicroseconds = startMicroseconds
    self.endMicroseconds = endMicroseconds
    self.civilMicroseconds = civilMicroseconds
    self.utcOffsetSeconds = utcOffsetSeconds
    self.zoneSource = zoneSource
    self.kind = kind
  }
}

/// Where a record comes from.
public struct RecordSource: Sendable, Hashable, Codable {
  /// The peripheral's number in the registry.
  public let peripheralID: Int
  /// The manufacturer as the meter or the registry names it.
  public let manufacturer: String?
  /// The model as the meter or the registry names it.
  public let model: String?
  /// The meter's public identity: serial number or address.
  public let deviceID: String
  /// The driver that made the record.
  public let driverID: String
  /// The semantic version of that driver.
  public let driverVersion: String

  /// A source from its parts.
  public init(
    peripheralID: Int, manufacturer: String?, model: String?, deviceID: String, driverID: String, driverVersion: String
  ) {
    self.peripheralID = peripheralID
    self.manufacturer = manufacturer
    self.model = model
    self.deviceID = deviceID
    self.driverID = driverID
    self.driverVersion = driverVersion
  }
}

/// Marks on a record.
public struct RecordFlags: OptionSet, Sendable, Hashable, Codable {
  /// The bits.
  public let rawValue: UInt32

  /// Flags from their bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Control solution: never a value of a person.
  public static let control = RecordFlags(rawValue: 1)
  /// The meter's or the host's clock was unset, jumped, or lies in the future.
  public static let clockSuspect = RecordFlags(rawValue: 2)
  /// Its identity was met with other values before.
  public static let identitySuspect = RecordFlags(rawValue: 4)
  /// The meter took this record back.
  public static let takenBack = RecordFlags(rawValue: 8)
  /// Progress and not a result: reaches events, never the queue.
  public static let provisional = RecordFlags(rawValue: 16)
}

/// One reading, with exactly what the meter reported.
public struct Record: Sendable, Hashable, Codable {
  /// The reading's name, fixed at first commit.
  public let logID: LogID
  /// Rises when the content changes (late context, a growing sum).
  public package(set) var revision: Int
  /// What the name was made from.
  public let identityClass: IdentityClass
  /// Where a receiver files it.
  public let type: RecordType
  /// When it was taken.
  public let time: RecordTime
  /// The meter's own sequence number.
  public let deviceSequence: UInt64?
  /// The meter's user slot.
  public let deviceUser: Int?
  /// The values, in the driver's order.
  public let values: [RecordValue]
  /// Texts.
  public let notes: [RecordNote]
  /// Where it comes from.
  public let source: RecordSource
  /// Who gave the values.
  public let origin: ValueOrigin
  /// Marks.
  public internal(set) var flags: RecordFlags
  /// Segments, series, tags and extras; nil for readings of meters.
  public let details: RecordDetails?
  /// SHA-256 over the canonical content; equal for equal readings, whenever and wherever they arrive.
  public let contentHash: [UInt8]

  /// A record of revision 1; the content hash is computed.
  public init(
    logID: LogID, identityClass: IdentityClass, type: RecordType, time: RecordTime, deviceSequence: UInt64? = nil,
    deviceUser: Int? = nil, values: [RecordValue], notes: [RecordNote] = [], source: RecordSource,
    origin: ValueOrigin = .device, flags: RecordFlags = [], details: RecordDetails? = nil
  ) {
    // Nothing and empty details are one content.
    let details = details.flatMap { $0.isEmpty ? nil : $0 }
    self.logID = logID
    self.revision = 1
    self.identityClass = identityClass
    self.type = type
    self.time = time
    self.deviceSequence = deviceSequence
    self.deviceUser = deviceUser
    self.values = values
    self.notes = notes
    self.source = source
    self.origin = origin
    self.flags = flags
    self.details = details
    self.contentHash =
      RecordContent(
        type: type, time: time, deviceSequence: deviceSequence, deviceUser: deviceUser, values: values, notes: notes,
        origin: origin, flags: flags, details: details
      ).hash
  }

  /// What ``contentHash`` has to be: a stored record may be damaged.
  var computedHash: [UInt8] {
    RecordContent(
      type: type, time: time, deviceSequence: deviceSequence, deviceUser: deviceUser, values: values, notes: notes,
      origin: origin, flags: flags, details: details
    ).hash
  }

  /// Whether this content of a reading is another one of it without a part of what describes it.
  func adds(nothingTo other: Record) -> Bool {
    primaryHash == other.primaryHash && type == other.type && deviceUser == other.deviceUser && origin == other.origin
      && flags == other.flags && details == other.details && values.allSatisfy(other.values.contains)
      && notes.allSatisfy(other.notes.contains)
  }

  /// SHA-256 over the measured values and the time as reported: what two readings of one name must share.
  var primaryHash: [UInt8] {
    RecordContent(
      type: type, time: time, deviceSequence: deviceSequence, deviceUser: nil,
      values: values.filter { Metric.isPrimary($0.metric) }, notes: [], origin: .device, flags: [],
      details: details.map(\.measured).flatMap { $0.isEmpty ? nil : $0 }
    ).hash
  }
}
