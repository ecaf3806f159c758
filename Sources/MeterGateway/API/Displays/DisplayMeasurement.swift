public import DriverContract
import MeterCore

/// One record of a display, as its driver made it of the agreed texts.
public struct DisplayMeasurement: Sendable, Codable, Hashable {
  /// One value: exactly `raw` * 10^`exponent` in `unit`.
  public struct Value: Sendable, Codable, Hashable {
    /// Code of the metric in the dictionary.
    public var metric: UInt16
    /// Code of the unit.
    public var unit: UInt16
    /// The mantissa.
    public var raw: Int64
    /// The power of ten.
    public var exponent: Int8
    /// How to read it.
    public var qualifier: String
    /// Whether the meter's own step is no decimal fraction of the unit.
    public var rounded: Bool

    /// A value from its parts.
    public init(
      metric: UInt16, unit: UInt16, raw: Int64, exponent: Int8, qualifier: String = "exact", rounded: Bool = false
    ) {
      self.metric = metric
      self.unit = unit
      self.raw = raw
      self.exponent = exponent
      self.qualifier = qualifier
      self.rounded = rounded
    }
  }

  /// The record's flags, as the contract has them.
  public var flags: UInt32
  /// The values, in the driver's order.
  public var values: [Value]

  /// A measurement from its parts.
  public init(flags: UInt32 = 0, values: [Value]) {
    self.flags = flags
    self.values = values
  }

  /// A checked record of a driver.
  public init(_ record: DriverRecord) {
    flags = record.flags.rawValue
    values = record.values.map { value in
      Value(
        metric: value.metric, unit: value.unit, raw: value.raw, exponent: value.exponent,
        qualifier: ValueQualifier(value.qualifier).rawValue, rounded: value.isRounded)
    }
  }

  /// The same, as its driver reported it.
  ///
  /// - Throws: ``GatewayError`` with code `display_values`.
  func reported() throws(GatewayError) -> DriverRecord {
    guard (1...RecordDraft.partLimit).contains(values.count) else {
      throw Self.fault("a measurement has 1 to \(RecordDraft.partLimit) values, not \(values.count)")
    }
    let flags = DriverRecordFlags(rawValue: flags)
    guard flags.isSubset(of: [.control, .held]) else { throw Self.fault("this is no measurement of a display") }
    var reported: [DriverValue] = []
    for value in values {
      let number = ReportedNumber(mantissa: value.raw, exponent: value.exponent)
      guard let qualifier = ValueQualifier(rawValue: value.qualifier), number.isWritable else {
        throw Self.fault("a value's qualifier or exponent is none that there is")
      }
      reported.append(
        DriverValue(
          metric: value.metric, unit: value.unit, exponent: value.exponent, qualifier: DriverQualifier(qualifier),
          value: number.doubleValue, raw: value.raw, isRounded: value.rounded))
    }
    return DriverRecord(kind: .measurement, flags: flags, values: reported)
  }

  private static func fault(_ message: String) -> GatewayError {
    GatewayError(.usage, code: "display_values", message)
  }
}
