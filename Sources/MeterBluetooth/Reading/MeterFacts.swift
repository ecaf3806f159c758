import DriverContract
import MeterCore

/// What a meter says about itself during a read (rule R12, device info records). Nothing of it is a reading.
public struct MeterFacts: Sendable, Hashable, Codable {
  /// One number with its unit.
  public struct Quantity: Sendable, Hashable, Codable {
    /// The metric's name in the dictionary: `clock_offset`, `battery_level`, `battery_voltage`.
    public var metric: String
    /// The number.
    public var value: Double
    /// The unit in UCUM.
    public var unit: String
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

  /// How far the meter's clock is ahead of the host's, in seconds; nil when the meter has not said.
  public var clockOffsetSeconds: Double? { quantities.first { $0.metric == "clock_offset" }?.value }

  /// The dictionary's metrics of a device info record; others are the driver's own affair.
  init(_ record: DriverRecord) {
    quantities = record.values.compactMap { value in
      guard let metric = Metric.withCode(value.metric), let unit = MetricUnit.withCode(value.unit),
        value.value.isFinite
      else { return nil }
      return Quantity(metric: metric.name, value: value.value, unit: unit.ucum)
    }
    texts = Dictionary(
      record.texts.compactMap { note in Metric.withCode(note.field).map { ($0.name, note.text) } },
      uniquingKeysWith: { first, _ in first })
  }
}
