/// Whether a glucose value lies outside what meters measure (facts of the record model: in 0, high 1, low 2).
public enum OutOfRange: String, Sendable, Hashable {
  /// Above 600 mg/dL, or the meter said "HI".
  case high
  /// Below 20 mg/dL, or the meter said "LO".
  case low
}

extension RecordValue {
  /// Out of range by the meter's word, else by size for blood glucose; nil in range.
  public var outOfRange: OutOfRange? {
    switch qualifier {
    case .above: return .high
    case .below: return .low
    case .exact, .questionable: break
    }
    guard metricName == "blood_glucose" else { return nil }
    // Compared in the unit reported: 600 mg/dL is 33.304..., 20 mg/dL is 1.110... mmol/L.
    let factor: Double
    switch ucum {
    case "mg/dL": factor = 1
    case "mmol/L": factor = Double(Analyte.glucose.milligramsPerMole) / 10_000
    default: return nil
    }
    let limits = (low: 20 / factor, high: 600 / factor)
    let value = number.doubleValue
    return value > limits.high ? .high : value < limits.low ? .low : nil
  }
}
