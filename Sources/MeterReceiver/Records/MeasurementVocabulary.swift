/// The metric types that a receiver accepts in measurements, and for each the units and values that it believes.
///
/// The receiver checks analyte and unit again although the host did: glucose with the wrong unit is wrong by a factor of 18.
public struct MeasurementVocabulary: Sendable, Equatable {
  /// Allowed units (UCUM, case sensitive) of one metric, each with the values that are plausible in it.
  ///
  /// A plausible range is what a meter could ever report of a living person, not what is healthy.
  public typealias Units = [String: ClosedRange<Double>]

  /// Metric type to its units.
  public var metrics: [String: Units]

  /// A vocabulary of exactly these metrics.
  public init(metrics: [String: Units]) {
    self.metrics = metrics
  }

  /// Why a metric is refused, if it is: the field and the reason. Never holds the value, which is health data.
  func refusal(type: String, unit: String, value: Double) -> (field: String, reason: String)? {
    guard let units = metrics[type] else { return ("type", "is not a metric type that this receiver knows") }
    guard let range = units[unit] ?? units[UnitSpelling.canonical(unit)] else {
      let allowed = units.keys.sorted().joined(separator: ", ")
      return ("unit", "does not belong to \(type); allowed are the UCUM units \(allowed)")
    }
    guard value.isFinite, range.contains(value) else {
      let bounds = "\(JSONValue.number(range.lowerBound).text) to \(JSONValue.number(range.upperBound).text)"
      return ("value", "is outside the plausible range of \(type), \(bounds) \(unit)")
    }
    return nil
  }
}
