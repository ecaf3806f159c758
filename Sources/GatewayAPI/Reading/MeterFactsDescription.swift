/// What a meter says about itself during a read, as `--json` shows it. Nothing of it is a reading.
public struct MeterFactsDescription: Sendable, Hashable, Codable {
  /// One number with its unit.
  public struct Quantity: Sendable, Hashable, Codable {
    /// The metric's name in the dictionary: `clock_offset`, `battery_level`, `battery_voltage`.
    public var metric: String
    /// How much it is in ``unit``.
    public var value: Double
    /// The unit in UCUM.
    public var unit: String

    package init(metric: String, value: Double, unit: String) {
      self.metric = metric
      self.value = value
      self.unit = unit
    }
  }

  /// Numbers: how far the meter's clock is ahead of the host's, how full the battery is.
  public var quantities: [Quantity]
  /// Texts by their names in the dictionary: `serial_number`, `firmware_version`, `model`.
  public var texts: [String: String]
  /// True when the driver has set the meter's clock, and says how far it is ahead since then; nil when it has not.
  public var isClockSet: Bool?

  private enum CodingKeys: String, CodingKey {
    case quantities, texts
    case isClockSet = "clock_set"
  }

  package init(quantities: [Quantity], texts: [String: String], isClockSet: Bool? = nil) {
    self.quantities = quantities
    self.texts = texts
    self.isClockSet = isClockSet
  }

  /// How far the meter's clock is ahead of the host's, in seconds; nil when the meter has not said.
  public var clockOffsetSeconds: Double? { quantities.first { $0.metric == "clock_offset" }?.value }
}
