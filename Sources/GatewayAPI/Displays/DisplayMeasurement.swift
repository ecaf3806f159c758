/// One record of a display, as its driver made it of the agreed texts.
public struct DisplayMeasurement: Sendable, Codable, Hashable {
  /// One value: exactly `raw` * 10^`exponent` in `unit`.
  public struct Value: Sendable, Codable, Hashable {
    /// Code of the metric in the dictionary.
    public var metric: UInt16
    /// Code of the unit in the dictionary.
    public var unit: UInt16
    /// The mantissa.
    public var raw: Int64
    /// The power of ten.
    public var exponent: Int8
    /// How to read it: `exact`, `above`, `below` or `questionable`.
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

  /// The record's flags, as the contract has them (`MH_REC_*`).
  public var flags: UInt32
  /// The values, in the driver's order.
  public var values: [Value]

  /// A measurement from its parts.
  public init(flags: UInt32 = 0, values: [Value]) {
    self.flags = flags
    self.values = values
  }
}

extension DisplayMeasurement {
  enum CodingKeys: String, CodingKey { case flags, values }

  /// Reads a measurement; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      flags: try container.decode(.flags, else: 0), values: try container.decode([Value].self, forKey: .values))
  }
}

extension DisplayMeasurement.Value {
  enum CodingKeys: String, CodingKey { case metric, unit, raw, exponent, qualifier, rounded }

  /// Reads a value; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      metric: try container.decode(UInt16.self, forKey: .metric),
      unit: try container.decode(UInt16.self, forKey: .unit),
      raw: try container.decode(Int64.self, forKey: .raw), exponent: try container.decode(Int8.self, forKey: .exponent),
      qualifier: try container.decode(.qualifier, else: "exact"), rounded: try container.decode(.rounded, else: false))
  }
}
