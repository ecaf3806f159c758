/// A unit of the dictionary in registry.json.
public struct MetricUnit: Sendable, Hashable {
  /// The code that drivers report (`MH_UNIT_...` of metrics.h).
  public let code: UInt16
  /// The dictionary's name, such as `mg_per_dl`.
  public let name: String
  /// The unit in UCUM's case-sensitive notation, such as `mg/dL`.
  public let ucum: String

  /// Makes a unit; the generated dictionary does.
  package init(code: UInt16, name: String, ucum: String) {
    self.code = code
    self.name = name
    self.ucum = ucum
  }

  /// The unit with this code, or nil when neither the dictionary nor the host has one.
  public static func withCode(_ code: UInt16) -> MetricUnit? { byCode[code] }

  /// The unit of the contract's dictionary with this code: what a driver can mean by it.
  package static func ofContract(_ code: UInt16) -> MetricUnit? {
    HostCodes.all.contains(code) ? nil : withCode(code)
  }

  /// The unit with this UCUM notation, or nil when neither the dictionary nor the host has one.
  public static func withUCUM(_ ucum: String) -> MetricUnit? { byUCUM[ucum] }

  private static let byCode = Dictionary(
    (dictionary + host).map { ($0.code, $0) }, uniquingKeysWith: { first, _ in first })
  private static let byUCUM = Dictionary(
    (dictionary + host).map { ($0.ucum, $0) }, uniquingKeysWith: { first, _ in first })
}

/// One unit in which a metric may be reported.
public struct AllowedUnit: Sendable, Hashable {
  /// UCUM notation.
  public let ucum: String
  /// Values outside are held for a person: they are more likely a fault than a reading.
  public let plausible: ClosedRange<Double>
  /// The LOINC codes that go with this unit, the one of FHIR's vital signs first; glucose has one for each of its two units.
  public let loinc: [String]

  /// Makes an allowed unit; the generated dictionary does.
  package init(ucum: String, plausible: ClosedRange<Double>, loinc: [String] = []) {
    self.ucum = ucum
    self.plausible = plausible
    self.loinc = loinc
  }
}

/// A metric of the dictionary in registry.json.
public struct Metric: Sendable, Hashable {
  /// What a metric's values are.
  public enum Kind: String, Sendable, Hashable {
    /// A number with a unit.
    case quantity
    /// A number that stands for a word.
    case code
    /// Words, which stand in a record's texts and not among its values.
    case text
  }

  /// The code that drivers report (`MH_METRIC_...` of metrics.h).
  public let code: UInt16
  /// The dictionary's name, such as `blood_glucose`.
  public let name: String
  /// What its values are.
  public let kind: Kind
  /// The units in which it may be reported; empty for texts.
  public let units: [AllowedUnit]
  /// The words of a coded metric.
  public let codes: [Int: String]
  /// The IEEE 11073-10101 code, where a public source confirms one.
  public let mdc: Int?
  /// The record type that it makes when it is the main value.
  public let recordType: RecordType?
  /// Types of record beside `recordType` in which it may stand.
  let otherTypes: Set<RecordType>

  /// Codes from here on are a driver's own: shown to people, never delivered.
  package static let firstVendorCode: UInt16 = 0x8000
  /// Codes from here on are facts about a measurement (meal, sample, device), not measured values (dictionary).
  package static let firstContextCode: UInt16 = 100

  /// Makes a metric; the generated dictionary does.
  package init(
    code: UInt16, name: String, kind: Kind, units: [AllowedUnit] = [], codes: [Int: String] = [:], mdc: Int? = nil,
    recordType: RecordType? = nil
  ) {
    self.init(
      code: code, name: name, kind: kind, units: units, codes: codes, mdc: mdc, recordType: recordType,
      otherTypes: Self.contractElsewhere[code] ?? [])
  }

  init(
    code: UInt16, name: String, kind: Kind, units: [AllowedUnit] = [], codes: [Int: String] = [:], mdc: Int? = nil,
    recordType: RecordType?, otherTypes: Set<RecordType>
  ) {
    self.code = code
    self.name = name
    self.kind = kind
    self.units = units
    self.codes = codes
    self.mdc = mdc
    self.recordType = recordType
    self.otherTypes = otherTypes
  }

  /// Whether this is a measured value, which belongs to a reading's identity, and not a fact about one.
  public var isPrimary: Bool { Self.isPrimary(code) }

  /// Whether a code is that of a measured value; a driver's own metrics are not.
  static func isPrimary(_ code: UInt16) -> Bool { code < firstContextCode || HostCodes.measured.contains(code) }

  /// The rules for this metric in a unit, nil when the metric may not be reported in it.
  public func allowed(_ unit: MetricUnit) -> AllowedUnit? { units.first { $0.ucum == unit.ucum } }

  /// The metric with this code, or nil when neither the dictionary nor the host has one.
  public static func withCode(_ code: UInt16) -> Metric? { byCode[code] }

  /// The metric of the contract's dictionary with this code: what a driver can mean by it.
  package static func ofContract(_ code: UInt16) -> Metric? { HostCodes.all.contains(code) ? nil : withCode(code) }

  private static let byCode = Dictionary(
    all.map { ($0.code, $0) }, uniquingKeysWith: { first, _ in first })
}
