/// What a meter model can show of a metric in a unit: beyond it the meter says "HI" or "LO", on its display or by a number of its
/// own that is no measurement.
package struct ReportableRange: Sendable, Hashable {
  /// Code of the metric.
  package let metric: UInt16
  /// Code of the unit.
  package let unit: UInt16
  /// The smallest number that it shows; nil where that is not known.
  package let low: ReportedNumber?
  /// The greatest number that it shows; nil where that is not known.
  package let high: ReportedNumber?

  /// A range from its parts.
  package init(metric: UInt16, unit: UInt16, low: ReportedNumber?, high: ReportedNumber?) {
    (self.metric, self.unit, self.low, self.high) = (metric, unit, low, high)
  }
}

/// What holds of every meter that says "HI" or "LO" and gives no number: no meter of its kind ends earlier.
///
/// A driver that gets no number (an SFLOAT of infinity, a flag) reports the bound with the qualifier above or below. It is true, and
/// says little, so a person sees it before it is delivered, unless the registry knows where the meter ends.
package struct CautiousBound: Sendable, Hashable {
  /// What is surely more than a value below the meter's range.
  package let low: ReportedNumber
  /// What is surely less than a value above it.
  package let high: ReportedNumber

  /// The bound of a metric in a unit; nil where none is known.
  package static func of(_ metric: String, in ucum: String) -> CautiousBound? { table[metric]?[ucum] }

  /// Meters of glucose begin at 40 mg/dL or earlier and end at 500 or later, of ketone at 0.1 and 8.0 mmol/L or thereabouts,
  /// thermometers for people at 34 Cel or earlier and 42 or later.
  private static let table: [String: [String: CautiousBound]] = [
    "blood_glucose": [
      "mg/dL": CautiousBound(low: (40, 0), high: (400, 0)), "mmol/L": CautiousBound(low: (22, -1), high: (222, -1)),
    ],
    "blood_ketone": ["mmol/L": CautiousBound(low: (5, -1), high: (50, -1))],
    "body_temperature": [
      "Cel": CautiousBound(low: (350, -1), high: (415, -1)), "[degF]": CautiousBound(low: (950, -1), high: (1067, -1)),
    ],
  ]

  private init(low: (Int64, Int8), high: (Int64, Int8)) {
    self.low = ReportedNumber(mantissa: low.0, exponent: low.1)
    self.high = ReportedNumber(mantissa: high.0, exponent: high.1)
  }
}

extension RecordValue {
  /// The value as the meter meant it: a number beyond what its model shows is its word for "above" or "below".
  ///
  /// A number that no person has stays, so that it is held: it is a fault rather than a mark.
  func within(_ ranges: [ReportableRange]) -> RecordValue {
    guard let range = ranges.last(where: { $0.metric == metric && $0.unit == unit }) else { return self }
    let size = number.doubleValue
    switch qualifier {
    case .exact, .questionable:
      guard qualifier == .exact, RecordRules.contract.isPlausible(self) else { return self }
      if let high = range.high, size > high.doubleValue { return replacing(high, .above) }
      if let low = range.low, size < low.doubleValue { return replacing(low, .below) }
      return self
    case .above:
      guard let high = range.high else { return self }
      return size > high.doubleValue || isCautious ? replacing(high, .above) : self
    case .below:
      guard let low = range.low else { return self }
      return size < low.doubleValue || isCautious ? replacing(low, .below) : self
    }
  }

  /// Whether the driver got no number and reports what surely holds.
  var isCautious: Bool {
    guard qualifier == .above || qualifier == .below,
      let bound = Metric.ofContract(metric).flatMap({ CautiousBound.of($0.name, in: ucum) })
    else { return false }
    return number.isEqual(to: qualifier == .above ? bound.high : bound.low)
  }

  /// Whether nobody knows that the meter can show this: what it says is above or below without a number, or of a number that every meter
  /// shows, or a glucose that most meters show as "HI" or "LO" only.
  var isBeyondRange: Bool { isCautious || isWithinEveryRange || qualifier == .exact && outOfRange != nil }

  /// "Above" or "below" of a number in the middle of what meters show contradicts itself.
  private var isWithinEveryRange: Bool {
    guard let bound = Metric.ofContract(metric).flatMap({ CautiousBound.of($0.name, in: ucum) }) else { return false }
    return switch qualifier {
    case .above: number.doubleValue < bound.high.doubleValue
    case .below: number.doubleValue > bound.low.doubleValue
    case .exact, .questionable: false
    }
  }

  private func replacing(_ number: ReportedNumber, _ qualifier: ValueQualifier) -> RecordValue {
    RecordValue(metric: metric, unit: unit, number: number, qualifier: qualifier, isRounded: isRounded)
  }
}
